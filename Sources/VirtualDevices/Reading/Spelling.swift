/// Suggests corrections of misspelled words.
public enum Spelling {
    /// Returns the word most similar to `word`, ignoring case; nil if none is similar enough.
    public static func nearest(to word: String, among words: [String]) -> String? {
        let wanted = Array(word.lowercased())
        let limit = max(1, wanted.count / 3)
        let distances = words.map { ($0, distance(wanted, Array($0.lowercased()))) }
        return distances.min { $0.1 < $1.1 }.flatMap { $0.1 <= limit ? $0.0 : nil }
    }

    /// Returns the number of insertions, deletions, substitutions and transpositions (optimal string alignment
    /// distance).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var (before, row) = ([Int](), Array(0...right.count))
        for (i, letter) in left.enumerated() {
            var next = [i + 1]
            for (j, other) in right.enumerated() {
                var least = min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { least = min(least, before[j - 1] + 1) }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
