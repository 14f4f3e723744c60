import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A file of Swift: parsed, with its operators folded into trees.
package struct SourceText {
    /// The path from the root of the repository.
    package let path: String
    let tree: SourceFileSyntax

    package init(path: String, text: String) {
        self.path = path
        let parsed = Parser.parse(source: text)
        var operators = OperatorTable.standardOperators
        operators.addSourceFile(parsed) { _ in }
        // An expression that cannot be folded stays a sequence, in which no fault is found.
        let folded = operators.foldAll(parsed) { _ in }
        tree = folded.as(SourceFileSyntax.self) ?? parsed
    }

    /// The possible faults of the file, in order.
    package var faults: [Fault] {
        let finder = FaultFinder(path: path, tree: tree)
        finder.walk(tree)
        return finder.faults
    }

    /// Returns the file with all of `faults`, each behind a condition at run time.
    package func text(with faults: [Fault]) -> String {
        guard !faults.isEmpty else { return tree.description }
        let writer = FaultWriter(faults)
        let written = writer.rewrite(tree).description
        // After the comments at the top, before the first token; on its own line, because the token may be an `#if`.
        let comments = tree.leadingTrivia.description
        return comments + "import \(MutatedPackage.switchModule)\n" + written.dropFirst(comments.count)
    }
}
