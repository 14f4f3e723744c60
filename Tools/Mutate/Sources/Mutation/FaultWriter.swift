import SwiftSyntax

/// Writes faults into a file, each behind a condition at run time.
///
/// A comparison `a < b` with fault 17 becomes `(harald_fault(17) ? (a <= b) : (a < b))`; a negation becomes
/// `(harald_fault(17) != (a == b))`, which contains the expression once; a call becomes `if !harald_fault(17) { call()
/// }`. Operands are written with their own faults.
final class FaultWriter: SyntaxRewriter {
    private let faults: [Fault.Site: [Fault]]

    init(_ faults: [Fault]) {
        self.faults = Dictionary(grouping: faults, by: \.site)
        super.init(viewMode: .sourceAccurate)
    }

    static func chosen(_ fault: Fault) -> String { "\(MutatedPackage.switchFunction)(\(fault.number))" }

    override func visit(_ node: InfixOperatorExprSyntax) -> ExprSyntax {
        let here = faults(at: node.operator.firstToken(viewMode: .sourceAccurate), .infix)
        let inner = super.visit(node)
        guard !here.isEmpty, let infix = inner.as(InfixOperatorExprSyntax.self) else { return inner }
        var text = inner.trimmedDescription
        for fault in here {
            switch fault.edit {
            case .infixOperator(let other):
                let changed =
                    infix.leftOperand.description + other + (infix.operator.trailingTrivia.description)
                    + infix.rightOperand.trimmedDescription
                text = "(\(Self.chosen(fault)) ? (\(changed.trimmed)) : (\(text)))"
            default:
                text = Self.negated(text, fault)
            }
        }
        return Self.expression(text, around: inner)
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> ExprSyntax {
        negate(super.visit(node), faults(at: node.operator, .prefix))
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> ExprSyntax {
        literal(super.visit(node), faults(at: node.literal, .literal))
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> ExprSyntax {
        literal(super.visit(node), faults(at: node.literal, .literal))
    }

    override func visit(_ node: ConditionElementSyntax) -> ConditionElementSyntax {
        guard case .expression(let condition) = node.condition else { return super.visit(node) }
        let here = faults(at: condition.firstToken(viewMode: .sourceAccurate), .condition)
        let inner = super.visit(node)
        guard !here.isEmpty, case .expression(let changed) = inner.condition else { return inner }
        return inner.with(\.condition, .expression(negate(changed, here)))
    }

    override func visit(_ node: TernaryExprSyntax) -> ExprSyntax {
        let here = faults(at: node.condition.firstToken(viewMode: .sourceAccurate), .condition)
        let inner = super.visit(node)
        guard !here.isEmpty, let ternary = inner.as(TernaryExprSyntax.self) else { return inner }
        return ExprSyntax(ternary.with(\.condition, negate(ternary.condition, here)))
    }

    override func visit(_ node: CodeBlockItemSyntax) -> CodeBlockItemSyntax {
        let here = faults(at: node.firstToken(viewMode: .sourceAccurate), .statement)
        let inner = super.visit(node)
        guard let fault = here.first else { return inner }
        let text = inner.item.trimmedDescription
        let changed =
            fault.edit == .returnOnly
            ? "if \(Self.chosen(fault)) { return }; \(text)" : "if !\(Self.chosen(fault)) { \(text) }"
        // Only the text matters: the next reader is the compiler.
        return inner.with(\.item, .expr(Self.expression(changed, around: inner.item)))
    }

    private func faults(at token: TokenSyntax?, _ kind: Fault.Site.Kind) -> [Fault] {
        guard let token else { return [] }
        return faults[Fault.Site(offset: token.positionAfterSkippingLeadingTrivia.utf8Offset, kind: kind)] ?? []
    }

    private func negate(_ expression: ExprSyntax, _ faults: [Fault]) -> ExprSyntax {
        guard !faults.isEmpty else { return expression }
        let text = faults.reduce(expression.trimmedDescription) { Self.negated($0, $1) }
        return Self.expression(text, around: expression)
    }

    private func literal(_ expression: ExprSyntax, _ faults: [Fault]) -> ExprSyntax {
        guard let fault = faults.first, case .literal(let other) = fault.edit else { return expression }
        let text = "(\(Self.chosen(fault)) ? \(other) : \(expression.trimmedDescription))"
        return Self.expression(text, around: expression)
    }

    private static func negated(_ text: String, _ fault: Fault) -> String { "(\(chosen(fault)) != (\(text)))" }

    /// Returns an expression of any text, with the white space and comments of `old` around it.
    private static func expression(_ text: String, around old: some SyntaxProtocol) -> ExprSyntax {
        let token = TokenSyntax.identifier(text, leadingTrivia: old.leadingTrivia, trailingTrivia: old.trailingTrivia)
        return ExprSyntax(DeclReferenceExprSyntax(baseName: token))
    }
}
