# What the moderator says, in English. See narration.fr.ftl for the functions.

## The deal and the first night

recorded = This game is recorded.
watched = Spectators may listen to this game.
welcome = Welcome. The game begins.
deal-call = Listen to your role.
role-civ = You are a citizen. With the town.
role-sheriff = You are the sheriff. With the town.
role-maf = You are mafia. The don: { SEAT($don, form: "the") }. The other: { SEATS($mates) }.
role-don = You are the don. Your mafia: { SEATS($mates) }.
night = Night falls.
meeting-call = The mafia meets: { DURATION($seconds) }.
meeting-end = The meeting is over.
greeting-call = Good evening, sheriff.

## The day

morning = Morning comes. { SEAT($seat, form: "the") } died last night.
morning-miss = Morning comes. The mafia missed.
day = Morning comes. { SEAT($seat, form: "the") } begins.
speech-call = Number { SEAT($seat) }, your turn: { DURATION($seconds) }.
split-speech-call = Number { SEAT($seat) }, defend yourself: { DURATION($seconds) }.
farewell-call = Number { SEAT($seat) }, your farewell: suspects and crown. { DURATION($seconds) }.
speech-lost = Number { SEAT($seat) }, speech cut short.
nomination-only-call = Number { SEAT($seat) }, a nomination: { DURATION($seconds) }.
time-warning = { DURATION($seconds) }.
time-up = Time is up.
nominated = Number { SEAT($seat) }, accepted.
withdrawn = Number { SEAT($seat) }, withdrawn.
testament = Will: { SEATS($seats) }.
testament-none = No will.
crown = Crown: { SEAT($seat, form: "the") }.

## The vote

vote-skipped-no-candidates = Nobody on the vote.
vote-skipped-one-candidate-day-zero = One name only: no vote.
vote-skipped-day-zero-rule = No vote today.
vote-cancelled = Vote cancelled: a player was removed.
ballot-list = On the vote, in order: { SEATS($seats) }.
revote-list = Second vote, in order: { SEATS($seats) }.
ballot-call = Vote: { DURATION($seconds) }.
ballot-open = Number { SEAT($seat) }: against { SEAT($target) }.
count = Against { SEAT($seat, form: "the") }, { COUNT($votes) } { $votes ->
    [one] vote
   *[other] votes
  }: { SEATS($seats) }.
count-defaults = No answer, so against { SEAT($seat, form: "the") }: { SEATS($seats) }.
sole-candidate = Alone on the vote: { SEAT($seat, form: "the") }.
tie = Tie: { SEATS($seats) }.
lift-call = Lift { SEATS($seats) }? Say: I lift, or I keep.
lift-open-for = Number { SEAT($seat) } lifts.
lift-open-against = Number { SEAT($seat) } keeps.
lift-for = Lift: { SEATS($seats) }.
lift-against = Keep: { SEATS($seats) }.
lift-defaults = No answer, so keep: { SEATS($seats) }.
lifted = They are lifted.
not-lifted = Nobody is lifted.
lift-skipped-everybody-tied = Everybody tied: nobody leaves.
lift-skipped-three-of-nine = Three of nine: nobody leaves.
lift-skipped-two-of-four = Two of four: nobody leaves.
left = Number { SEAT($seat) }, eliminated.
left-fouls = Number { SEAT($seat) }, removed: too many fouls.
left-technical-fouls = Number { SEAT($seat) }, removed: technical fouls.
left-disqualified = Number { SEAT($seat) }, disqualified.
left-absent = Number { SEAT($seat) }, absent: removed.
left-gave-up = Number { SEAT($seat) } gives up.
farewell-lost = Number { SEAT($seat) }, removed: farewell lost.

## The night

shots-call = Mafia, your shot: one number.
don-check-call = Don, whom do you check? One number.
sheriff-check-call = Sheriff, whom do you check? One number.
shot-noted = Shot noted: { SEAT($seat, form: "the") }.
don-found = Number { SEAT($seat) }: sheriff.
don-missed = Number { SEAT($seat) }: not sheriff.
check-mafia = Number { SEAT($seat) }: black.
check-town = Number { SEAT($seat) }: red.

## Order at the table

foul = Number { SEAT($seat) } interrupts: foul.
foul-costs-speech = Number { SEAT($seat) }, third foul.
foul-warning = Number { SEAT($seat) }, foul.
technical-foul = Number { SEAT($seat) }, technical foul.
notice = Number { SEAT($seat) }: { $offence ->
    [threat] a threat
    [insult] an insult
    [vulgar] vulgar words
    [bet] a bet
    [religion] a religious word
    [outgame] an argument from outside
   *[language] another language
}? { $motion ->
    [disqualification] To disqualify
   *[technical_foul] For a technical foul
}, say: motion.
motion-technical-foul = Motion: technical foul for { SEAT($seat) }.
motion-disqualification = Motion: disqualify { SEAT($seat) }.
motion-stop = Motion: stop the game, by fault of { SEAT($seat) }.
motion-plain-stop = Motion: stop the game.
motion-call = Vote: yes or no.
motion-carried = Motion carried.
motion-rejected = Motion rejected.
motion-void = Motion void.
signal = Number { SEAT($seat) }: { SIGNAL($signal) }.
went-absent = Number { SEAT($seat) }, line lost.
came-back = Number { SEAT($seat) }, back.
welcome-back = You are back, seat { SEAT($own) }.
floor-back = Number { SEAT($seat) }, go on.
suspended = The game is suspended.
resumed = We go on.
not-stored = The game can no longer be stored: it stops.
waiting = Waiting for { SEATS($seats) }.
check-headphones = Seat { SEAT($seat) }, check your headphones.

## The end

won-town-mafia-gone = The town wins: no mafia left.
won-mafia-parity = The mafia wins: parity.
won-nobody-quiet-draw = A draw: nobody leaves any more.
won-town-stalemate = The town wins: nights without a death.
won-town-opponent-victory = The town wins: the mafia is penalised.
won-mafia-opponent-victory = The mafia wins: the town is penalised.
won-nobody-stopped = Game stopped, no result.
roles-revealed = The don: { SEATS($don) }. The mafia: { SEATS($mafia) }. The sheriff: { SEATS($sheriff) }.
scores = Most points: { SEATS($seats) }.

## Echoes, questions, refusals

echo-ballot = Against { SEAT($seat, form: "the") }.
    .expert = { SEAT($seat) }.
    .novice = Against { SEAT($seat, form: "the") }. To correct: no, then a number.
echo-shot = Shot at { SEAT($seat, form: "the") }.
    .expert = { SEAT($seat) }.
    .novice = Shot at { SEAT($seat, form: "the") }. To correct: no, then a number.
echo-check = Check { SEAT($seat, form: "the") }.
    .expert = { SEAT($seat) }.
    .novice = Check { SEAT($seat, form: "the") }. To correct: no, then a number.
echo-lift-yes = You lift.
    .novice = You lift. To correct, say: no.
echo-lift-no = You keep.
    .novice = You keep. To correct, say: no.
ask-ballot = Against { SEAT($seat, form: "the") }?
ask-shot = Shoot { SEAT($seat, form: "the") }?
ask-check = Do you check { SEAT($seat, form: "the") }?
ask-lift-yes = You lift?
ask-lift-no = You keep?
ask-nomination = Do you nominate { SEAT($seat, form: "the") }?
ask-withdrawal = Do you withdraw { SEAT($seat, form: "the") }?
ask-testament = Your will: { SEATS($seats) }?
ask-crown = The crown: { SEAT($seat, form: "the") }?
ask-testament-crown = Your will: { SEATS($seats) }? Crown: { SEAT($seat, form: "the") }?
say-the-number = Not understood: which number?
    .expert = Which number?
    .novice = Not understood. Say one number, from one to ten.
say-yes-or-no = Yes or no?
nothing-noted = Nothing noted.
refused-target-not-alive = Number { SEAT($seat) } is out of the game.
refused-not-a-candidate = Number { SEAT($seat) } is not on the vote.
refused-not-alive = You are out of the game.
refused-not-now = Not now.
refused-not-your-turn = It is not your turn.
refused-not-your-role = That is not your role.
refused-too-early = Too early.
refused-too-late = Too late.
refused-already-done = Already done.
refused-nothing-to-withdraw = Nothing to withdraw.
refused-not-oneself = Not yourself.
refused-floor-taken = Somebody is already speaking.
refused-motion-running = A vote is on.
refused-no-motion = No motion is on.
refused-no-accused = Against whom? A number.
refused-moved-today = One motion a day.
refused-unknown-signal = Unknown gesture.
refused-too-soon = Too soon.
thinking = One moment.
no-model = Without a language model, I ask more often.

## Sounds, in words

sound-heard = heard
sound-refused = refused
sound-ten-seconds = soon over
sound-end = gong
sound-night = night

## In one's own booth: answers and settings

answer-time = { DURATION($seconds) } left.
answer-no-time = No time is running.
answer-speaker = Number { SEAT($seat) } has the floor.
answer-speaker-you = You have the floor.
answer-speaker-none = Nobody has the floor.
answer-suspended = On a break: nobody speaks.
answer-alive = { COUNT($count) } in the game: { SEATS($seats) }.
    .expert = In: { SEATS($seats, form: "bare") }.
answer-nominated = Nominated: { SEATS($seats) }.
    .expert = { SEATS($seats, form: "bare") }.
answer-nominated-none = Nobody is nominated.
answer-nominated-secret = Nominees are not repeated at this table.
answer-no-role = No role yet.
answer-microphone-open = Microphone open: ask for your role later.
answer-day = Day { COUNT($count) }.
answer-night = Night { COUNT($count) }.
answer-floor = Speeches: number { SEAT($seat) } now.
answer-voting = Voting now.
answer-deal = Roles are being dealt.
answer-over = The game is over.
how-speech = { DURATION($seconds) }. Say: I nominate, a number. To end: I pass.
how-split-speech = { DURATION($seconds) } to defend yourself. To end, say: I pass.
how-farewell = { DURATION($seconds) }. Say: my will, numbers; the crown, a number.
how-ballot = { DURATION($seconds) }. Say: against, then a number.
how-lift = { DURATION($seconds) }. Say: I lift, or: I keep.
how-shots = { DURATION($seconds) }. Say: I shoot, then a number.
how-check = { DURATION($seconds) }. Say: I check, then a number.
how-motion = { DURATION($seconds) }. Say: yes, or: no.
how-interrupt = To interrupt, say: objection. It costs a foul.
how-listen = Nothing to answer: listen.
help-questions = Ask: repeat, time, who is speaking, who is alive, nominees, my role.
help-settings = Or: slower, faster, another voice, beginner mode, the rules, break.
rules-speech = Speech: { DURATION($seconds) }, one nomination.
rules-split-speech = Defence: { DURATION($seconds) }, no nomination.
rules-floor = One open microphone. Interrupting costs a foul.
rules-farewell = Farewell: { COUNT($count) } suspects at most, one crown.
rules-ballot = Most votes leaves. A tie: defence, then a second vote.
rules-ballot-default = No answer: a vote against the last nominee.
rules-lift = More than half for it: all leave. Otherwise all stay.
rules-lift-default-against = No answer: they stay.
rules-lift-default-for = No answer: they leave.
rules-night = One target for all the mafia: a kill. Otherwise a miss.
rules-night-silence = At night, answer only when called.
rules-town = Town: get rid of all the mafia.
rules-mafia = Mafia: be as many as the town.
rate-slower = Slower.
rate-faster = Faster.
rate-slowest = This is the slowest.
rate-fastest = This is the fastest.
rate-usual = Usual speed.
detail-novice = Beginner mode: I say how to answer.
detail-normal = Normal mode.
detail-expert = Expert mode: the shortest.
voice-changed = A new voice.
voice-only = No other voice.
sounds-louder = Sounds louder.
sounds-softer = Sounds softer.
sounds-loudest = Sounds at their loudest.
sounds-off = Sounds off.
sounds-later = Sounds are learned when out of the game.
break-asked = Break asked for: { COUNT($votes) } of { COUNT($needed) } needed.
break-wanted = A break is asked for. To join, say: break.
break-not-now = No break now.
break-none = No breaks at this table.
break-call = Break: { DURATION($seconds) } at most. To go on, say: resume.
break-over = Resuming asked for: { COUNT($votes) } of { COUNT($needed) } needed.
ask-motion-technical-foul = Ask for a technical foul on number { SEAT($seat) }?
ask-motion-disqualification = Ask to disqualify number { SEAT($seat) }?
ask-motion-stop = Ask to stop, because of number { SEAT($seat) }?
ask-motion-plain-stop = Ask to stop the game?
ask-give-up = Leave the game for good?

## A round to practise

practice-welcome = Practice: a short game with nine robots.
practice-sounds = The sounds first. Here are all five.
practice-speech = To nominate, in your turn: I nominate, a number. To finish: pass.
practice-vote = To vote: against, then a number. I repeat what I note.
practice-private = Secret: this is said to you alone, like your role.
practice-help = Lost? Say: help, or: repeat.
