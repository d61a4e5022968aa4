# The same game in a village (setting loup-garou): only the sentences that differ from narration.ru.ftl.

role-civ = Вы житель деревни. За деревню.
role-sheriff = Вы шериф. За деревню.
role-maf = Вы оборотень. Дон: { SEAT($don, form: "the") }. Ещё: { SEATS($mates) }.
role-don = Вы дон. Ваши оборотни: { SEATS($mates) }.
night = Над деревней наступает ночь.
meeting-call = Оборотни совещаются: { DURATION($seconds) }.
morning = Наступает утро. Ночью съеден { SEAT($seat, form: "the") }.
morning-miss = Наступает утро. Оборотни упустили добычу.
shots-call = Оборотни, ваша добыча: один номер.
shot-noted = Добыча записана: { SEAT($seat, form: "the") }.
check-mafia = Номер { SEAT($seat) }: оборотень.
check-town = Номер { SEAT($seat) }: житель.
echo-shot = Ваша добыча: { SEAT($seat, form: "the") }.
    .expert = { SEAT($seat) }.
    .novice = Ваша добыча: { SEAT($seat, form: "the") }. Исправить: нет, и номер.
ask-shot = Съесть? { SEAT($seat, form: "the") }?
won-town-mafia-gone = Деревня победила: оборотней больше нет.
won-mafia-parity = Оборотни победили: паритет.
won-town-stalemate = Победа деревни: ночи без убийств.
won-town-opponent-victory = Победа деревни: оборотни наказаны.
won-mafia-opponent-victory = Победа оборотней: деревня наказана.
roles-revealed = Дон: { SEATS($don) }. Оборотни: { SEATS($mafia) }. Шериф: { SEATS($sheriff) }.
rules-night = Все оборотни в одну добычу: съеден. Иначе промах.
rules-town = Деревня: найдите всех оборотней.
rules-mafia = Оборотни: станьте равны деревне числом.
