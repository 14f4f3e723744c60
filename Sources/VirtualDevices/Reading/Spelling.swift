/// Finds what somebody meant who wrote something else.
public enum Spelling {
    /// The word that is nearest to `word`, where one is near; case does not matter.
    public static func nearest(to word: String, among words: [String]) -> String? {
        let wanted = Array(word.lowercased())
        let limit = max(1, wanted.count / 3)
        let distances = words.map { ($0, distance(wanted, Array($0.lowercased()))) }
        return distances.min { $0.1 < $1.1 }.flatMap { $0.1 <= limit ? $0.0 : nil }
    }

    /// How many letters have to be put in, left out or changed (Levenshtein).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
