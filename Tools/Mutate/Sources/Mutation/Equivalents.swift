import Foundation

/// The list of equivalent faults, which change no behaviour, or none that is guaranteed, each with an explanation.
///
/// A block per fault, with empty lines between: the file and the declaration, the line of the sources, the change, and
/// the explanation, in one line or several. Lines with `//` are comments.
package struct Equivalents {
    /// Explanations by ``Fault/identity``.
    package let explanations: [String: String]

    package init(text: String) throws {
        var explanations: [String: String] = [:]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).trimmed }
        for block in lines.split(whereSeparator: \.isEmpty) {
            // A source line could be a comment only in the second position, where no fault is.
            let block = block.filter { !$0.hasPrefix("//") }
            if block.isEmpty { continue }
            guard block.count >= 4 else {
                throw MutationError(
                    """
                    In the list of equivalents, "\(block[0])" needs four lines: file and declaration, the line of the \
                    sources, the change, and the explanation.
                    """)
            }
            let identity = block.prefix(3).joined(separator: "\n")
            if explanations[identity] != nil {
                throw MutationError("The list of equivalents repeats an entry:\n\(identity)")
            }
            explanations[identity] = block.dropFirst(3).joined(separator: " ")
        }
        self.explanations = explanations
    }

    /// Returns the entries that match none of `faults`: their lines have changed.
    package func stale(among faults: [Fault]) -> [String] {
        let known = Set(faults.map(\.identity))
        return explanations.keys.filter { !known.contains($0) }.sorted()
    }
}
