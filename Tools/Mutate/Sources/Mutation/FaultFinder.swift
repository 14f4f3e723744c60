import SwiftSyntax

/// Finds the possible faults of a file.
final class FaultFinder: SyntaxVisitor {
    private(set) var faults: [Fault] = []
    private let path: String
    private let lines: [String]
    private let places: SourceLocationConverter
    private var seen: [String: Int] = [:]

    init(path: String, tree: SourceFileSyntax) {
        self.path = path
        places = SourceLocationConverter(fileName: path, tree: tree)
        lines = tree.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: Syntax without faults

    /// Code for another platform, which no test here can notice.
    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    /// A pattern may have to be constant, and exhaustiveness depends on it.
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: Syntax with faults

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let token = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else { return .visitChildren }
        for other in Operators.changes[token.text] ?? [] {
            if Operators.arithmetic.contains(token.text), node.leftOperand.isText || node.rightOperand.isText {
                continue
            }
            let edit: Fault.Edit = Operators.opposite[token.text] == other ? .negate : .infixOperator(other)
            add("\(token.text) → \(other)", at: token, .infix, edit)
        }
        return .visitChildren
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        if node.operator.text == "!" {
            add("!\(node.expression.brief) → \(node.expression.brief)", at: node.operator, .prefix, .negate)
        }
        return .visitChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let other = node.literal.text == "true" ? "false" : "true"
        add("\(node.literal.text) → \(other)", at: node.literal, .literal, .literal(other))
        return .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let token = node.literal
        let digits = token.text.replacing("_", with: "")
        let value = digits.hasPrefix("0x") ? Int(digits.dropFirst(2), radix: 16) : Int(digits)
        guard let value, value < Int.max else { return .visitChildren }
        // Up or down with equal probability, and unchanged until its line changes.
        let place = places.location(for: token.positionAfterSkippingLeadingTrivia)
        var digest = Digest(lines[place.line - 1].trimmed)
        digest.add(token.text)
        let isUp = value == 0 || digest.value % 2 == 0
        let other = isUp ? value + 1 : value - 1
        let text = digits.hasPrefix("0x") ? "0x" + String(other, radix: 16, uppercase: true) : String(other)
        add("\(token.text) → \(text)", at: token, .literal, .literal(text))
        return .visitChildren
    }

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition { negate(condition) }
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard let first = node.firstToken(viewMode: .sourceAccurate) else { return .visitChildren }
        switch node.item {
        case .expr(let expression):
            guard let call = expression.call, !call.isExempt, !node.isImplicitResult else { break }
            add("\(call.calledExpression.brief)(…) → nothing", at: first, .statement, .drop)
        case .stmt(let statement):
            guard let call = statement.as(ReturnStmtSyntax.self)?.expression?.call, !call.isExempt,
                node.isInFunctionWithoutResult
            else { break }
            add("return \(call.calledExpression.brief)(…) → return", at: first, .statement, .returnOnly)
        case .decl: break
        }
        return .visitChildren
    }

    /// A condition whose operator changes by itself is not negated as well.
    private func negate(_ condition: ExprSyntax) {
        if let infix = condition.as(InfixOperatorExprSyntax.self)?.operator.as(BinaryOperatorExprSyntax.self),
            Operators.opposite[infix.operator.text] != nil
        {
            return
        }
        if condition.as(PrefixOperatorExprSyntax.self)?.operator.text == "!" { return }
        guard !condition.is(BooleanLiteralExprSyntax.self),
            let first = condition.firstToken(viewMode: .sourceAccurate)
        else { return }
        add("\(condition.brief) → !(\(condition.brief))", at: first, .condition, .negate)
    }

    private func add(_ change: String, at token: TokenSyntax, _ kind: Fault.Site.Kind, _ edit: Fault.Edit) {
        let position = token.positionAfterSkippingLeadingTrivia
        let line = places.location(for: position).line
        let source = lines[line - 1].trimmed
        let declaration = Syntax(token).declarationName
        let count = seen["\(declaration)\n\(source)\n\(change)", default: 0] + 1
        seen["\(declaration)\n\(source)\n\(change)"] = count
        faults.append(
            Fault(
                file: path, line: line, declaration: declaration, source: source,
                change: count == 1 ? change : "\(change) #\(count)",
                site: Fault.Site(offset: position.utf8Offset, kind: kind), edit: edit))
    }
}
