/// A mechanical change of the sources, which the tests have to notice.
package struct Fault: Hashable, Sendable {
    /// The path of the file from the root of the repository.
    package let file: String
    /// The line of the sources, from 1. Not part of the identity: a fault stays the same when lines above it change.
    package let line: Int
    /// The declaration that holds the place, such as `LELink.receive(_:)`.
    package let declaration: String
    /// The text of the line, trimmed.
    package let source: String
    /// The change, such as `<= → <`, with `#2` for the second identical change of the line.
    package let change: String
    let site: Site
    let edit: Edit

    /// The position of a change: an offset in UTF-8, and the kind of node there.
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

    /// The identity, which is the same in every run, until the line is rewritten.
    package var identity: String { "\(file): \(declaration)\n\(source)\n\(change)" }

    /// The number by which a run selects the fault: an index in a table of ``tableSize`` bytes.
    package var number: Int { Int(Digest(identity).value % UInt64(Self.tableSize)) }

    static let tableSize = 1 << 20

    /// The module of the file: the directory in `Sources`.
    package var module: String {
        let parts = file.split(separator: "/")
        return parts.count > 1 ? String(parts[1]) : file
    }

    /// The file, the line and the change, as text.
    package var text: String { "\(file):\(line): \(change)   in: \(source)" }
}
