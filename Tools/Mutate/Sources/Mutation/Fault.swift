/// One mechanical change of the sources: the tests have to notice it.
package struct Fault: Hashable, Sendable {
    /// The file, from the root of the repository.
    package let file: String
    /// The line of the sources, from 1. Not part of the identity: a fault stays the same when lines above it change.
    package let line: Int
    /// The declaration that holds the place, such as `LELink.receive(_:)`.
    package let declaration: String
    /// The text of the line, without what surrounds it.
    package let source: String
    /// What changes, such as `<= → <`, with `#2` behind the second same change of the line.
    package let change: String
    let site: Site
    let edit: Edit

    /// Where a change applies: an offset in UTF-8, and the kind of node there.
    struct Site: Hashable, Sendable {
        enum Kind: Hashable, Sendable { case infix, prefix, literal, condition, statement }
        let offset: Int
        let kind: Kind
    }

    enum Edit: Hashable, Sendable {
        /// Another operator between the same operands.
        case infixOperator(String)
        /// The opposite of a Boolean expression.
        case negate
        /// Another literal.
        case literal(String)
        /// The statement does not run.
        case drop
        /// The function returns without the call whose result, `Void`, it would return.
        case returnOnly
    }

    /// The same for the same fault in every run, as long as its line is not rewritten.
    package var identity: String { "\(file): \(declaration)\n\(source)\n\(change)" }

    /// The number by which a run chooses the fault: an index in a table of ``tableSize`` bytes.
    package var number: Int { Int(Digest(identity).value % UInt64(Self.tableSize)) }

    static let tableSize = 1 << 20

    /// The module that holds the file: the directory in `Sources`.
    package var module: String {
        let parts = file.split(separator: "/")
        return parts.count > 1 ? String(parts[1]) : file
    }

    /// File, line and change, for people.
    package var text: String { "\(file):\(line): \(change)   in: \(source)" }
}
