# The same game in a village (setting loup-garou): only the sentences that differ from narration.en.ftl.

role-civ = You are a villager. With the village.
role-sheriff = You are the sheriff. With the village.
role-maf = You are a werewolf. The don: { SEAT($don, form: "the") }. The other: { SEATS($mates) }.
role-don = You are the don. Your wolves: { SEATS($mates) }.
night = Night falls on the village.
meeting-call = The wolves meet: { DURATION($seconds) }.
morning = Morning comes. { SEAT($seat, form: "the") } was eaten last night.
morning-miss = Morning comes. The wolves missed their prey.
shots-call = Wolves, your prey: one number.
shot-noted = Prey noted: { SEAT($seat, form: "the") }.
check-mafia = Number { SEAT($seat) }: wolf.
check-town = Number { SEAT($seat) }: villager.
echo-shot = Your prey: { SEAT($seat, form: "the") }.
    .expert = { SEAT($seat) }.
    .novice = Your prey: number { SEAT($seat) }. To correct: no, then a number.
ask-shot = Eat { SEAT($seat, form: "the") }?
won-town-mafia-gone = The village wins: no wolves left.
won-mafia-parity = The wolves win: parity.
won-town-stalemate = The village wins: nights without a death.
won-town-opponent-victory = The village wins: the wolves are penalised.
won-mafia-opponent-victory = The wolves win: the village is penalised.
roles-revealed = The don: { SEATS($don) }. The wolves: { SEATS($mafia) }. The sheriff: { SEATS($sheriff) }.
rules-night = One prey for all the wolves: a kill. Otherwise a miss.
rules-town = Village: get rid of all the wolves.
rules-mafia = Wolves: be as many as the village.
