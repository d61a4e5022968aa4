# The same game in a village (setting loup-garou): only the sentences that differ from narration.fr.ftl.

role-civ = Vous êtes villageois. Avec le village.
role-sheriff = Vous êtes le shérif. Avec le village.
role-maf = Vous êtes loup-garou. Le Don : { SEAT($don, form: "the") }. L'autre : { SEATS($mates) }.
role-don = Vous êtes le Don. Vos loups : { SEATS($mates) }.
night = La nuit tombe sur le village.
meeting-call = Les loups se concertent : { DURATION($seconds) }.
morning = Le jour se lève. { SEAT($seat, form: "the") } a été dévoré cette nuit.
morning-miss = Le jour se lève. Les loups ont manqué leur proie.
shots-call = Loups, votre proie : un numéro.
shot-noted = Proie notée : le numéro { SEAT($seat) }.
check-mafia = Numéro { SEAT($seat) } : loup.
check-town = Numéro { SEAT($seat) } : villageois.
echo-shot = Votre proie : le numéro { SEAT($seat) }.
    .expert = { SEAT($seat) }.
    .novice = Votre proie : le numéro { SEAT($seat) }. Pour corriger : non, puis un numéro.
ask-shot = Dévorer le numéro { SEAT($seat) } ?
won-town-mafia-gone = Le village gagne : plus de loups.
won-mafia-parity = Les loups gagnent : parité.
won-town-stalemate = Le village gagne : trois nuits sans mort.
won-town-opponent-victory = Le village gagne : les loups sont sanctionnés.
won-mafia-opponent-victory = Les loups gagnent : le village est sanctionné.
roles-revealed = Le Don : { SEATS($don) }. Les loups : { SEATS($mafia) }. Le shérif : { SEATS($sheriff) }.
rules-night = Même proie pour tous les loups : un mort. Sinon, manqué.
rules-town = Village : éliminez tous les loups.
rules-mafia = Loups : soyez aussi nombreux que le village.
