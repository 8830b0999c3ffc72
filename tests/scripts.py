"""Texts in many scripts, for tests of whatever counts or cuts text."""

from __future__ import annotations

SCRIPTS = {
    "English": "The moss on the third stone has grown two inches since spring, and nobody has told the gardener.",
    "names": "Odile MacAllister-Brown wrote to Mr Quill, Esq., of Wyre & Sons; Zbigniew Brzezinski answered.",
    "capitals": "QXZJKWVHGF NASA UNESCO iPhone aBcDeFgHiJk GardenKey CamelCaseName",
    "letters": "bqzxvkrtplmngdfhjcwbsqzxvkrtplmngdfhjcwbs kzqxj",
    "numbers": "3f9a7c1b88e0d4 1,234,567.89 2026-11-20T07:21:37.123Z +44 20 7946 0958",
    "marks": "!@#$%^&*()_+-=[]{};:'\\|,.<>/?~` --- *** ``` ... ((()))",
    "spaces": "a  b    c\t\td \n\n\n e" + " " * 40 + "f",
    "single": "a I x y z q w b c d e f g h",
    "Greek": "Καλημέρα, τι κάνεις σήμερα στον κήπο;",
    "Russian": "Доброе утро! Ключ лежит под третьим камнем.",
    "Armenian": "Բարի լույս, ինչպես ես այսօր",
    "Georgian": "დილა მშვიდობისა, როგორ ხარ",
    "Arabic": "صباح الخير، المفتاح تحت الحجر الثالث",
    "Hebrew": "בוקר טוב, המפתח מתחת לאבן השלישית",
    "Hindi": "नमस्ते, चाबी तीसरे पत्थर के नीचे है",
    "Thai": "สวัสดีครับ กุญแจอยู่ใต้หินก้อนที่สาม",
    "Burmese": "မင်္ဂလာပါ သော့က ကျောက်တုံးအောက်မှာ",
    "Tibetan": "བོད་ཀྱི་སྐད་ཡིག་ནི་བོད་ཡུལ་གྱི་སྐད",
    "Amharic": "ሰላም እንዴት ነህ ቁልፉ ከድንጋዩ በታች ነው",
    "Chinese": "钥匙在第三块石头下面，我答应过她。",
    "rare signs": "龘靐齉爩鱻麤龗灪吁龖厵滟爨癵籱饢驫",
    "Japanese": "おはようございます。鍵は三番目の石の下です。",
    "Korean": "안녕하세요, 열쇠는 세 번째 돌 아래에 있습니다",
    "Vietnamese": "Chìa khóa nằm dưới hòn đá thứ ba, tôi đã hứa.",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "emoji": "😀🦄🧿 🪬🫠 👨‍👩‍👧‍👦 ❤️",
    "hieroglyphs": "𓀀𓀁𓀂𓀃 𒀀𒀁𒀂",
    "strokes": "Z̸̢̛a̶̡l̷̢g̸o̵ t̴e̷x̶t̵",
    "unseen": "\u200d\u200b\ufeff\x01\x7f\ue000",
}
"""Texts that people and programs write, in many scripts, and some that they hardly ever do."""
