import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A file of Swift: parsed, with its operators folded into trees.
package struct SourceText {
    /// From the root of the repository.
    package let path: String
    let tree: SourceFileSyntax

    package init(path: String, text: String) {
        self.path = path
        let parsed = Parser.parse(source: text)
        var operators = OperatorTable.standardOperators
        operators.addSourceFile(parsed) { _ in }
        // What cannot be folded stays a sequence, in which nothing is found.
        let folded = operators.foldAll(parsed) { _ in }
        tree = folded.as(SourceFileSyntax.self) ?? parsed
    }

    /// Every fault that can be made in the file, from its beginning to its end.
    package var faults: [Fault] {
        let finder = FaultFinder(path: path, tree: tree)
        finder.walk(tree)
        return finder.faults
    }

    /// The file with all of `faults` in it, each behind a choice at run time.
    package func text(with faults: [Fault]) -> String {
        guard !faults.isEmpty else { return tree.description }
        let writer = FaultWriter(faults)
        let written = writer.rewrite(tree).description
        // Behind the comments at the top, in front of the first token; as a line of its own, for that may be an `#if`.
        let comments = tree.leadingTrivia.description
        return comments + "import \(MutatedPackage.switchModule)\n" + written.dropFirst(comments.count)
    }
}
