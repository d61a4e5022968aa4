# What the moderator says, in Russian. See narration.fr.ftl for the functions.
# SEAT forms: the bare number, "the" nominative, "acc" accusative, "dat" dative.

## The deal and the first night

recorded = Игра записывается.
watched = Эту игру могут слушать зрители.
welcome = Добро пожаловать. Игра начинается.
deal-call = Слушайте свою роль.
role-civ = Вы мирный житель. За город.
role-sheriff = Вы шериф. За город.
role-maf = Вы мафия. Дон: { SEAT($don, form: "the") }. Ещё: { SEATS($mates) }.
role-don = Вы дон. Ваша мафия: { SEATS($mates) }.
night = Наступает ночь.
meeting-call = Мафия совещается: { DURATION($seconds) }.
meeting-end = Совещание окончено.
greeting-call = Добрый вечер, шериф.

## The day

morning = Наступает утро. Ночью убит { SEAT($seat, form: "the") }.
morning-miss = Наступает утро. Мафия промахнулась.
day = Наступает утро. Начинает { SEAT($seat, form: "the") }.
speech-call = Номер { SEAT($seat) }, ваша речь: { DURATION($seconds) }.
split-speech-call = Номер { SEAT($seat) }, защищайтесь: { DURATION($seconds) }.
farewell-call = Номер { SEAT($seat) }, прощание: подозреваемые и корона. { DURATION($seconds) }.
speech-lost = Номер { SEAT($seat) }, речь сокращена.
nomination-only-call = Номер { SEAT($seat) }, только кандидатура: { DURATION($seconds) }.
time-warning = { DURATION($seconds) }.
time-up = Время вышло.
nominated = Номер { SEAT($seat) }, принято.
withdrawn = Номер { SEAT($seat) }, отозвано.
testament = Завещание: { SEATS($seats) }.
testament-none = Без завещания.
crown = Корона: { SEAT($seat, form: "the") }.

## The vote

vote-skipped-no-candidates = Никто не выставлен.
vote-skipped-one-candidate-day-zero = Один кандидат: голосования нет.
vote-skipped-day-zero-rule = Сегодня без голосования.
vote-cancelled = Голосование отменено: игрок удалён.
ballot-list = На голосовании по порядку: { SEATS($seats) }.
revote-list = Второе голосование по порядку: { SEATS($seats) }.
ballot-call = Голосуйте: { DURATION($seconds) }.
ballot-open = { SEAT($seat, form: "the") }: против { SEAT($target, form: "acc") }.
count = Против { SEAT($seat, form: "acc") } { COUNT($votes, gender: "m") } { $votes ->
    [one] голос
    [few] голоса
   *[other] голосов
  }: { SEATS($seats) }.
count-defaults = Без ответа, значит против { SEAT($seat, form: "acc") }: { SEATS($seats) }.
sole-candidate = Единственный кандидат: { SEAT($seat, form: "the") }.
tie = Ничья: { SEATS($seats) }.
lift-call = Поднять? { SEATS($seats) }. Скажите: поднимаю или оставляю.
lift-open-for = { SEAT($seat, form: "the") } поднимает.
lift-open-against = { SEAT($seat, form: "the") } оставляет.
lift-for = Поднимают: { SEATS($seats) }.
lift-against = Оставляют: { SEATS($seats) }.
lift-defaults = Без ответа, значит оставляют: { SEATS($seats) }.
lifted = Они подняты.
not-lifted = Никто не поднят.
lift-skipped-everybody-tied = Все поровну: никто не уходит.
lift-skipped-three-of-nine = Трое из девяти: никто не уходит.
lift-skipped-two-of-four = Двое из четырёх: никто не уходит.
left = Номер { SEAT($seat) }, выбывает.
left-fouls = Номер { SEAT($seat) } удалён: фолы.
left-technical-fouls = Номер { SEAT($seat) } удалён: технические фолы.
left-disqualified = Номер { SEAT($seat) } дисквалифицирован.
left-absent = Номер { SEAT($seat) } отсутствует: удалён.
left-gave-up = Номер { SEAT($seat) } сдаётся.
farewell-lost = Номер { SEAT($seat) } удалён без прощания.

## The night

shots-call = Мафия, ваш выстрел: один номер.
don-check-call = Дон, кого проверить? Один номер.
sheriff-check-call = Шериф, кого проверить? Один номер.
shot-noted = Выстрел записан: { SEAT($seat, form: "the") }.
don-found = Номер { SEAT($seat) }: шериф.
don-missed = Номер { SEAT($seat) }: не шериф.
check-mafia = Номер { SEAT($seat) }: чёрный.
check-town = Номер { SEAT($seat) }: красный.

## Order at the table

foul = Номер { SEAT($seat) } перебивает: фол.
foul-costs-speech = Номер { SEAT($seat) }, третий фол.
foul-warning = Номер { SEAT($seat) }, фол.
technical-foul = Номер { SEAT($seat) }, технический фол.
notice = Номер { SEAT($seat) }: { $offence ->
    [threat] угроза
    [insult] оскорбление
    [vulgar] грубость
    [bet] пари
    [religion] религиозное слово
    [outgame] довод не из игры
   *[language] другой язык
}? { $motion ->
    [disqualification] Для дисквалификации
   *[technical_foul] Для технического фола
} скажите: предлагаю.
motion-technical-foul = Предложение: технический фол, номер { SEAT($seat) }.
motion-disqualification = Предложение: дисквалификация, номер { SEAT($seat) }.
motion-stop = Предложение: остановить игру, виновен номер { SEAT($seat) }.
motion-plain-stop = Предложение: остановить игру.
motion-call = Голосуем: да или нет.
motion-carried = Принято.
motion-rejected = Отклонено.
motion-void = Снято с голосования.
signal = { SEAT($seat, form: "the") }: { SIGNAL($signal) }.
went-absent = Номер { SEAT($seat) }: связь потеряна.
came-back = Номер { SEAT($seat) } вернулся.
welcome-back = Вы снова на связи, место { SEAT($own) }.
floor-back = Номер { SEAT($seat) }, продолжайте.
suspended = Игра приостановлена.
resumed = Продолжаем.
not-stored = Игру больше нельзя сохранить: она остановлена.
waiting = Ждём. Ещё нет: { SEATS($seats) }.
check-headphones = Место { SEAT($seat) }, проверьте наушники.

## The end

won-town-mafia-gone = Город победил: мафии больше нет.
won-mafia-parity = Мафия победила: паритет.
won-nobody-quiet-draw = Ничья: больше никто не уходит.
won-town-stalemate = Победа города: ночи без убийств.
won-town-opponent-victory = Победа города: мафия наказана.
won-mafia-opponent-victory = Победа мафии: город наказан.
won-nobody-stopped = Игра остановлена без результата.
roles-revealed = Дон: { SEATS($don) }. Мафия: { SEATS($mafia) }. Шериф: { SEATS($sheriff) }.
scores = Больше всего очков: { SEATS($seats) }.

## Echoes, questions, refusals

echo-ballot = Против { SEAT($seat, form: "acc") }.
    .expert = { SEAT($seat) }.
    .novice = Против { SEAT($seat, form: "acc") }. Исправить: нет, и номер.
echo-shot = Выстрел в { SEAT($seat, form: "acc") }.
    .expert = { SEAT($seat) }.
    .novice = Выстрел в { SEAT($seat, form: "acc") }. Исправить: нет, и номер.
echo-check = Проверить { SEAT($seat, form: "acc") }.
    .expert = { SEAT($seat) }.
    .novice = Проверить { SEAT($seat, form: "acc") }. Исправить: нет, и номер.
echo-lift-yes = Вы поднимаете.
    .novice = Вы поднимаете. Исправить: нет.
echo-lift-no = Вы оставляете.
    .novice = Вы оставляете. Исправить: нет.
ask-ballot = Против { SEAT($seat, form: "acc") }?
ask-shot = Стреляете в { SEAT($seat, form: "acc") }?
ask-check = Проверить { SEAT($seat, form: "acc") }?
ask-lift-yes = Вы поднимаете?
ask-lift-no = Вы оставляете?
ask-nomination = Вы выставляете { SEAT($seat, form: "acc") }?
ask-withdrawal = Вы отзываете { SEAT($seat, form: "acc") }?
ask-testament = Завещание: { SEATS($seats) }?
ask-crown = Корона: { SEAT($seat, form: "the") }?
ask-testament-crown = Завещание: { SEATS($seats) }? Корона: { SEAT($seat, form: "the") }?
say-the-number = Не понял: какой номер?
    .expert = Какой номер?
    .novice = Не понял. Назовите один номер, от одного до десяти.
say-yes-or-no = Да или нет?
nothing-noted = Ничего не записано.
refused-target-not-alive = Номер { SEAT($seat) } уже не в игре.
refused-not-a-candidate = Номер { SEAT($seat) } не выставлен.
refused-not-alive = Вы уже не в игре.
refused-not-now = Не сейчас.
refused-not-your-turn = Сейчас не ваша очередь.
refused-not-your-role = Это не ваша роль.
refused-too-early = Слишком рано.
refused-too-late = Слишком поздно.
refused-already-done = Уже сделано.
refused-nothing-to-withdraw = Нечего отзывать.
refused-not-oneself = Не себя.
refused-floor-taken = Уже говорит другой.
refused-motion-running = Идёт голосование.
refused-no-motion = Нет предложения.
refused-no-accused = Против кого? Номер.
refused-moved-today = Одно предложение в день.
refused-unknown-signal = Такого жеста нет.
refused-too-soon = Слишком часто.
thinking = Минуту.
no-model = Без языковой модели я спрашиваю чаще.

## Sounds, in words

sound-heard = услышано
sound-refused = отказано
sound-ten-seconds = скоро конец
sound-end = гонг
sound-night = ночь

## In one's own booth: answers and settings

answer-time = Ещё { DURATION($seconds) }.
answer-no-time = Время не идёт.
answer-speaker = Говорит { SEAT($seat, form: "the") }.
answer-speaker-you = Говорите вы.
answer-speaker-none = Никто не говорит.
answer-suspended = Перерыв: никто не говорит.
answer-alive = { COUNT($count, gender: "m") } в игре: { SEATS($seats) }.
    .expert = В игре: { SEATS($seats, form: "bare") }.
answer-nominated = На голосовании: { SEATS($seats) }.
    .expert = { SEATS($seats, form: "bare") }.
answer-nominated-none = Пока никого нет на голосовании.
answer-nominated-secret = Кандидатуры за этим столом не повторяют.
answer-no-role = Роли ещё нет.
answer-microphone-open = Микрофон открыт: спросите роль позже.
answer-day = День номер { COUNT($count, gender: "m") }.
answer-night = Ночь номер { COUNT($count, gender: "m") }.
answer-floor = Речи: номер { SEAT($seat) }.
answer-voting = Сейчас голосуют.
answer-deal = Раздача ролей.
answer-over = Игра окончена.
how-speech = { DURATION($seconds) }. Скажите: выставляю, номер. В конце: пас.
how-split-speech = { DURATION($seconds) } на защиту. В конце скажите: пас.
how-farewell = { DURATION($seconds) }. Скажите: чёрные, номера; руль, номер.
how-ballot = { DURATION($seconds) }. Скажите: против, и номер.
how-lift = { DURATION($seconds) }. Скажите: поднимаю, или: оставляю.
how-shots = { DURATION($seconds) }. Скажите: стреляю, и номер.
how-check = { DURATION($seconds) }. Скажите: проверяю, и номер.
how-motion = { DURATION($seconds) }. Скажите: да, или: нет.
how-interrupt = Чтобы прервать, скажите: выкрик. Это стоит фола.
how-listen = Отвечать не нужно: слушайте.
help-questions = Спросите: повтори, сколько времени, кто говорит, кто жив, кто выставлен, моя роль.
help-settings = Или: медленнее, быстрее, другой голос, режим новичка, правила, перерыв.
rules-speech = Речь: { DURATION($seconds) }, одно выставление.
rules-split-speech = Защита: { DURATION($seconds) }, без выставления.
rules-floor = Открыт один микрофон. Выкрик стоит фола.
rules-farewell = Прощание: подозреваемых не больше { COUNT($count, gender: "m") }, один руль.
rules-ballot = Больше голосов: уходит. Поровну: защита и второе голосование.
rules-ballot-default = Без ответа: голос против последнего.
rules-lift = Больше половины за: уходят все. Иначе остаются все.
rules-lift-default-against = Без ответа: остаются.
rules-lift-default-for = Без ответа: уходят.
rules-night = Вся мафия в одну цель: убит. Иначе промах.
rules-night-silence = Ночью отвечает только тот, кого зовут.
rules-town = Город: найдите всю мафию.
rules-mafia = Мафия: станьте равны городу числом.
rate-slower = Медленнее.
rate-faster = Быстрее.
rate-slowest = Медленнее нельзя.
rate-fastest = Быстрее нельзя.
rate-usual = Обычная скорость.
detail-novice = Режим новичка: говорю, как ответить.
detail-normal = Обычный режим.
detail-expert = Режим эксперта: самое короткое.
voice-changed = Новый голос.
voice-only = Другого голоса нет.
sounds-louder = Звуки громче.
sounds-softer = Звуки тише.
sounds-loudest = Звуки громче всего.
sounds-off = Звуки выключены.
sounds-later = Звуки учат вне игры.
break-asked = Просят перерыв: голосов { COUNT($votes, gender: "m") }, нужно { COUNT($needed, gender: "m") }.
break-wanted = Кто-то просит перерыв. Поддержать: скажите перерыв.
break-not-now = Сейчас без перерыва.
break-none = За этим столом без перерывов.
break-call = Перерыв: { DURATION($seconds) } самое большее. Чтобы начать: продолжаем.
break-over = Просят продолжить: голосов { COUNT($votes, gender: "m") }, нужно { COUNT($needed, gender: "m") }.
ask-motion-technical-foul = Просите технический фол { SEAT($seat, form: "dat") }?
ask-motion-disqualification = Просите дисквалифицировать { SEAT($seat, form: "acc") }?
ask-motion-stop = Просите остановить игру из-за { SEAT($seat, form: "acc") }?
ask-motion-plain-stop = Просите остановить игру?
ask-give-up = Выйти из игры насовсем?

## A round to practise

practice-welcome = Тренировка: короткая игра с девятью роботами.
practice-sounds = Сначала звуки. Вот все пять.
practice-speech = Чтобы выставить, в свой черёд: выставляю, номер. Чтобы закончить: пас.
practice-vote = Чтобы голосовать: против, потом номер. Я повторяю то, что отметил.
practice-private = Тайна: это сказано только вам, как и ваша роль.
practice-help = Запутались? Скажите: помощь, или: повтори.
