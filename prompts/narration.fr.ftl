# What the moderator says, in French. Short sentences, the important word first, numbers in letters only.
# SEAT($seat): "quatre", form "the": "le quatre". SEATS($seats): "le quatre, le sept et le deux".
# DURATION($seconds): "vingt-cinq secondes". COUNT($n): "trois", before a feminine word.

## The deal and the first night

recorded = Cette partie est enregistrée.
watched = Des spectateurs peuvent écouter cette partie.
welcome = Bienvenue. La partie commence.
deal-call = Écoutez votre rôle.
role-civ = Vous êtes citoyen. Avec la ville.
role-sheriff = Vous êtes le shérif. Avec la ville.
role-maf = Vous êtes mafieux. Le Don : { SEAT($don, form: "the") }. L'autre : { SEATS($mates) }.
role-don = Vous êtes le Don. Vos mafieux : { SEATS($mates) }.
night = La nuit tombe.
meeting-call = La mafia se concerte : { DURATION($seconds) }.
meeting-end = Fin de la concertation.
greeting-call = Bonsoir, shérif.

## The day

morning = Le jour se lève. { SEAT($seat, form: "the") } est mort cette nuit.
morning-miss = Le jour se lève. La mafia a manqué son tir.
day = Le jour se lève. { SEAT($seat, form: "the") } commence.
speech-call = Numéro { SEAT($seat) }, à vous : { DURATION($seconds) }.
split-speech-call = Numéro { SEAT($seat) }, défendez-vous : { DURATION($seconds) }.
farewell-call = Numéro { SEAT($seat) }, adieux : suspects et couronne. { DURATION($seconds) }.
speech-lost = Numéro { SEAT($seat) }, parole réduite.
nomination-only-call = Numéro { SEAT($seat) }, une nomination : { DURATION($seconds) }.
time-warning = { DURATION($seconds) }.
time-up = Temps écoulé.
nominated = Numéro { SEAT($seat) }, accepté.
withdrawn = Numéro { SEAT($seat) }, retiré.
testament = Testament : { SEATS($seats) }.
testament-none = Pas de testament.
crown = Couronne : numéro { SEAT($seat) }.

## The vote

vote-skipped-no-candidates = Personne au vote.
vote-skipped-one-candidate-day-zero = Un seul nom : pas de vote.
vote-skipped-day-zero-rule = Pas de vote aujourd'hui.
vote-cancelled = Vote annulé : un joueur a été exclu.
ballot-list = Sont au vote, dans l'ordre : { SEATS($seats) }.
revote-list = Second vote, dans l'ordre : { SEATS($seats) }.
ballot-call = Votez : { DURATION($seconds) }.
ballot-open = { SEAT($seat, form: "the") } : contre { SEAT($target, form: "the") }.
count = Contre { SEAT($seat, form: "the") }, { COUNT($votes) } voix : { SEATS($seats) }.
count-defaults = Sans réponse, donc contre { SEAT($seat, form: "the") } : { SEATS($seats) }.
sole-candidate = Seul au vote : le numéro { SEAT($seat) }.
tie = Égalité : { SEATS($seats) }.
lift-call = Lever { SEATS($seats) } ? Dites : je lève, ou je garde.
lift-open-for = { SEAT($seat, form: "the") } lève.
lift-open-against = { SEAT($seat, form: "the") } garde.
lift-for = Lèvent : { SEATS($seats) }.
lift-against = Gardent : { SEATS($seats) }.
lift-defaults = Sans réponse, donc gardent : { SEATS($seats) }.
lifted = Ils sont levés.
not-lifted = Personne n'est levé.
lift-skipped-everybody-tied = Tous à égalité : personne ne part.
lift-skipped-three-of-nine = Trois sur neuf : personne ne part.
lift-skipped-two-of-four = Deux sur quatre : personne ne part.
left = Numéro { SEAT($seat) }, éliminé.
left-fouls = Numéro { SEAT($seat) }, exclu : trop de fautes.
left-technical-fouls = Numéro { SEAT($seat) }, exclu : fautes techniques.
left-disqualified = Numéro { SEAT($seat) }, disqualifié.
left-absent = Numéro { SEAT($seat) }, absent : exclu.
left-gave-up = Numéro { SEAT($seat) } abandonne.
farewell-lost = Numéro { SEAT($seat) }, exclu : adieux perdus.

## The night

shots-call = Mafia, votre tir : un numéro.
don-check-call = Don, qui vérifier ? Un numéro.
sheriff-check-call = Shérif, qui vérifier ? Un numéro.
shot-noted = Tir noté : le numéro { SEAT($seat) }.
don-found = Numéro { SEAT($seat) } : shérif.
don-missed = Numéro { SEAT($seat) } : pas shérif.
check-mafia = Numéro { SEAT($seat) } : noir.
check-town = Numéro { SEAT($seat) } : rouge.

## Order at the table

foul = Numéro { SEAT($seat) } intervient : faute.
foul-costs-speech = Numéro { SEAT($seat) }, troisième faute.
foul-warning = Numéro { SEAT($seat) }, faute.
technical-foul = Numéro { SEAT($seat) }, faute technique.
notice = Numéro { SEAT($seat) } : { $offence ->
    [threat] menace
    [insult] insulte
    [vulgar] vulgarité
    [bet] pari
    [religion] mot religieux
    [outgame] argument hors jeu
   *[language] autre langue
} ? { $motion ->
    [disqualification] Pour le disqualifier
   *[technical_foul] Pour une faute technique
}, dites : motion.
motion-technical-foul = Motion : faute technique contre le numéro { SEAT($seat) }.
motion-disqualification = Motion : disqualifier le numéro { SEAT($seat) }.
motion-stop = Motion : arrêter, par la faute de { SEAT($seat) }.
motion-plain-stop = Motion : arrêter la partie.
motion-call = Votez : oui ou non.
motion-carried = Motion adoptée.
motion-rejected = Motion rejetée.
motion-void = Motion annulée.
signal = { SEAT($seat, form: "the") } : { SIGNAL($signal) }.
went-absent = Numéro { SEAT($seat) }, ligne coupée.
came-back = Numéro { SEAT($seat) }, de retour.
welcome-back = Vous êtes de retour, place { SEAT($own) }.
floor-back = Numéro { SEAT($seat) }, reprenez.
suspended = Partie suspendue.
resumed = On reprend.
not-stored = La partie ne peut plus être enregistrée : elle s'arrête.
waiting = On attend { SEATS($seats) }.
check-headphones = Place { SEAT($seat) }, vérifiez votre casque.

## The end

won-town-mafia-gone = La ville gagne : plus de mafia.
won-mafia-parity = La mafia gagne : parité.
won-nobody-quiet-draw = Match nul : plus personne ne part.
won-town-stalemate = La ville gagne : trois nuits sans mort.
won-town-opponent-victory = La ville gagne : la mafia est sanctionnée.
won-mafia-opponent-victory = La mafia gagne : la ville est sanctionnée.
won-nobody-stopped = Partie arrêtée, sans résultat.
roles-revealed = Le Don : { SEATS($don) }. La mafia : { SEATS($mafia) }. Le shérif : { SEATS($sheriff) }.
scores = En tête aux points : { SEATS($seats) }.

## Echoes, questions, refusals

echo-ballot = Contre le numéro { SEAT($seat) }.
    .expert = { SEAT($seat) }.
    .novice = Contre le numéro { SEAT($seat) }. Pour corriger : non, puis un numéro.
echo-shot = Tir sur le numéro { SEAT($seat) }.
    .expert = { SEAT($seat) }.
    .novice = Tir sur le numéro { SEAT($seat) }. Pour corriger : non, puis un numéro.
echo-check = Vérifier le numéro { SEAT($seat) }.
    .expert = { SEAT($seat) }.
    .novice = Vérifier le numéro { SEAT($seat) }. Pour corriger : non, puis un numéro.
echo-lift-yes = Vous levez.
    .novice = Vous levez. Pour corriger, dites : non.
echo-lift-no = Vous gardez.
    .novice = Vous gardez. Pour corriger, dites : non.
ask-ballot = Contre le numéro { SEAT($seat) } ?
ask-shot = Tirer sur le numéro { SEAT($seat) } ?
ask-check = Vérifier le numéro { SEAT($seat) } ?
ask-lift-yes = Vous levez ?
ask-lift-no = Vous gardez ?
ask-nomination = Vous nominez le numéro { SEAT($seat) } ?
ask-withdrawal = Vous retirez le numéro { SEAT($seat) } ?
ask-testament = Testament : { SEATS($seats) } ?
ask-crown = La couronne au numéro { SEAT($seat) } ?
ask-testament-crown = Testament : { SEATS($seats) } ? Couronne : numéro { SEAT($seat) } ?
say-the-number = Pas compris : quel numéro ?
    .expert = Quel numéro ?
    .novice = Pas compris. Dites un seul numéro, de un à dix.
say-yes-or-no = Oui ou non ?
nothing-noted = Rien de noté.
refused-target-not-alive = Numéro { SEAT($seat) } n'est plus en jeu.
refused-not-a-candidate = Numéro { SEAT($seat) } n'est pas au vote.
refused-not-alive = Vous n'êtes plus en jeu.
refused-not-now = Pas maintenant.
refused-not-your-turn = Ce n'est pas votre tour.
refused-not-your-role = Ce n'est pas votre rôle.
refused-too-early = Trop tôt.
refused-too-late = Trop tard.
refused-already-done = C'est déjà fait.
refused-nothing-to-withdraw = Rien à retirer.
refused-not-oneself = Pas vous-même.
refused-floor-taken = Quelqu'un parle déjà.
refused-motion-running = Un vote est en cours.
refused-no-motion = Pas de motion en cours.
refused-no-accused = Contre qui ? Un numéro.
refused-moved-today = Une seule motion par jour.
refused-unknown-signal = Geste inconnu.
refused-too-soon = Trop vite.
thinking = Un instant.
no-model = Sans modèle de langue, je demande plus souvent.

## Sounds, in words

sound-heard = entendu
sound-refused = refusé
sound-ten-seconds = bientôt la fin
sound-end = gong
sound-night = nuit

## In one's own booth: answers and settings

answer-time = { DURATION($seconds) } encore.
answer-no-time = Aucun temps ne court.
answer-speaker = La parole est à { SEAT($seat) }.
answer-speaker-you = La parole est à vous.
answer-speaker-none = Personne n'a la parole.
answer-suspended = Table en pause : personne ne parle.
answer-alive = { COUNT($count, gender: "m") } en jeu : { SEATS($seats) }.
    .expert = En jeu : { SEATS($seats, form: "bare") }.
answer-nominated = Au vote : { SEATS($seats) }.
    .expert = { SEATS($seats, form: "bare") }.
answer-nominated-none = Aucun nom au vote.
answer-nominated-secret = Les noms ne se redisent pas à cette table.
answer-no-role = Pas encore de rôle.
answer-microphone-open = Micro ouvert : demandez votre rôle plus tard.
answer-day = Jour { COUNT($count, gender: "m") }.
answer-night = Nuit { COUNT($count, gender: "m") }.
answer-floor = Tour de parole : numéro { SEAT($seat) }.
answer-voting = On vote.
answer-deal = Distribution des rôles.
answer-over = Partie terminée.
how-speech = { DURATION($seconds) }. Dites : je nomine, un numéro. Pour finir : je passe.
how-split-speech = { DURATION($seconds) } pour vous défendre. Pour finir, dites : je passe.
how-farewell = { DURATION($seconds) }. Dites : testament, des numéros ; couronne, un numéro.
how-ballot = { DURATION($seconds) }. Dites : contre, puis un numéro.
how-lift = { DURATION($seconds) }. Dites : je lève, ou : je garde.
how-shots = { DURATION($seconds) }. Dites : je tire sur, puis un numéro.
how-check = { DURATION($seconds) }. Dites : je vérifie, puis un numéro.
how-motion = { DURATION($seconds) }. Dites : oui, ou : non.
how-interrupt = Pour interrompre, dites : j'interviens. Cela coûte une faute.
how-listen = Rien à répondre : écoutez.
help-questions = Demandez : répète, temps, qui parle, en jeu, au vote, mon rôle.
help-settings = Ou : moins vite, plus vite, autre voix, mode débutant, règles, pause.
rules-speech = Parole : { DURATION($seconds) }, une seule nomination.
rules-split-speech = Défense : { DURATION($seconds) }, sans nomination.
rules-floor = Un seul micro ouvert. Interrompre coûte une faute.
rules-farewell = Adieux : { COUNT($count, gender: "m") } suspects au plus, une couronne.
rules-ballot = Le plus de voix part. Égalité : défense, puis second vote.
rules-ballot-default = Sans réponse : voix au dernier nommé.
rules-lift = Plus de la moitié pour : tous partent. Sinon, tous restent.
rules-lift-default-against = Sans réponse : ils restent.
rules-lift-default-for = Sans réponse : ils partent.
rules-night = Même cible pour toute la mafia : un mort. Sinon, manqué.
rules-night-silence = La nuit, on répond seulement à son appel.
rules-town = Ville : éliminez toute la mafia.
rules-mafia = Mafia : soyez aussi nombreux que la ville.
rate-slower = Moins vite.
rate-faster = Plus vite.
rate-slowest = C'est le plus lent.
rate-fastest = C'est le plus rapide.
rate-usual = Débit habituel.
detail-novice = Mode débutant : je dis comment répondre.
detail-normal = Mode normal.
detail-expert = Mode expert : au plus court.
voice-changed = Nouvelle voix.
voice-only = Pas d'autre voix.
sounds-louder = Sons plus forts.
sounds-softer = Sons moins forts.
sounds-loudest = Sons au plus fort.
sounds-off = Sons coupés.
sounds-later = Les sons s'apprennent hors jeu.
break-asked = Pause demandée : { COUNT($votes) } voix, { COUNT($needed) } nécessaires.
break-wanted = On demande une pause. Pour elle, dites : pause.
break-not-now = Pas de pause maintenant.
break-none = Pas de pause à cette table.
break-call = Pause : { DURATION($seconds) } au plus. Pour reprendre : on reprend.
break-over = Reprise demandée : { COUNT($votes) } voix, { COUNT($needed) } nécessaires.
ask-motion-technical-foul = Demander une faute technique contre le numéro { SEAT($seat) } ?
ask-motion-disqualification = Demander de disqualifier le numéro { SEAT($seat) } ?
ask-motion-stop = Demander l'arrêt, par la faute de { SEAT($seat) } ?
ask-motion-plain-stop = Demander l'arrêt de la partie ?
ask-give-up = Quitter la partie pour de bon ?

## A round to practise

practice-welcome = Exercice : une partie courte, avec neuf robots.
practice-sounds = Les sons d'abord. Voici les cinq.
practice-speech = Pour nommer, à votre tour : je nomine, un numéro. Pour finir : je passe.
practice-vote = Pour voter : contre, puis un numéro. Je répète ce que je note.
practice-private = Secret : ceci n'est dit qu'à vous, comme votre rôle.
practice-help = Perdu ? Dites : aide, ou : répète.
