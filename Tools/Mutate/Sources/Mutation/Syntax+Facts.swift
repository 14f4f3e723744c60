import SwiftSyntax

extension String {
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

extension ExprSyntax {
    /// The expression on one line, truncated if it is long.
    var brief: String {
        let text = trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.count > 60 ? text.prefix(57) + "..." : text
    }

    /// True for a string or collection literal: `+` concatenates it, and `-` does not apply to it.
    var isText: Bool {
        if let infix = self.as(InfixOperatorExprSyntax.self) {
            return infix.leftOperand.isText || infix.rightOperand.isText
        }
        return self.is(StringLiteralExprSyntax.self) || self.is(ArrayExprSyntax.self)
    }

    /// The call that the expression is, under `try` and `await`.
    var call: FunctionCallExprSyntax? {
        if let inner = self.as(TryExprSyntax.self) { return inner.expression.call }
        if let inner = self.as(AwaitExprSyntax.self) { return inner.expression.call }
        if let inner = self.as(OptionalChainingExprSyntax.self) { return inner.expression.call }
        return self.as(FunctionCallExprSyntax.self)
    }
}

extension FunctionCallExprSyntax {
    /// True if the call stops the program, reports to people, or is a value rather than a call.
    var isExempt: Bool {
        if let member = calledExpression.as(MemberAccessExprSyntax.self) {
            // `.success(x)` is a value, so it is the result of its branch.
            if member.base == nil { return true }
            let receiver = member.base?.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
            return Operators.exempt.contains(member.declName.baseName.text)
                || Operators.exemptReceivers.contains(receiver.filter { $0.isLetter })
        }
        return Operators.exempt.contains(calledExpression.trimmedDescription)
    }
}

extension CodeBlockItemSyntax {
    /// True if it is the only statement of a function or an accessor with a result: then it is the result.
    var isImplicitResult: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let holder = list.parent else {
            return false
        }
        if holder.is(AccessorBlockSyntax.self) { return true }
        guard let owner = holder.as(CodeBlockSyntax.self)?.parent else { return false }
        if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        if let accessor = owner.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text == "get" }
        return owner.is(SubscriptDeclSyntax.self)
    }

    /// True if its result can only be `Void`.
    var isInFunctionWithoutResult: Bool {
        var node = Syntax(self).parent
        while let current = node {
            if current.is(ClosureExprSyntax.self) || current.is(AccessorBlockSyntax.self) { return false }
            if let function = current.as(FunctionDeclSyntax.self) { return function.signature.returnClause == nil }
            if current.is(InitializerDeclSyntax.self) { return true }
            node = current.parent
        }
        return false
    }
}

extension Syntax {
    /// The enclosing declarations, from the type to the member: `LELink.receive(_:)`.
    var declarationName: String {
        var names: [String] = []
        var node: Syntax? = self
        while let current = node {
            if let name = current.ownDeclarationName { names.append(name) }
            node = current.parent
        }
        return names.isEmpty ? "file" : names.reversed().joined(separator: ".")
    }

    private var ownDeclarationName: String? {
        switch self.as(SyntaxEnum.self) {
        case .classDecl(let type): type.name.text
        case .structDecl(let type): type.name.text
        case .enumDecl(let type): type.name.text
        case .actorDecl(let type): type.name.text
        case .protocolDecl(let type): type.name.text
        case .extensionDecl(let type): type.extendedType.trimmedDescription
        case .functionDecl(let function): function.name.text + function.signature.parameterClause.labels
        case .initializerDecl(let initializer): "init" + initializer.signature.parameterClause.labels
        case .deinitializerDecl: "deinit"
        case .subscriptDecl: "subscript"
        case .variableDecl(let variable):
            // A local variable belongs to its function.
            if variable.parent?.is(MemberBlockItemSyntax.self) == true || variable.isGlobal {
                variable.bindings.first?.pattern.trimmedDescription
            } else {
                nil
            }
        default: nil
        }
    }
}

extension VariableDeclSyntax {
    fileprivate var isGlobal: Bool { parent?.parent?.parent?.is(SourceFileSyntax.self) == true }
}

extension FunctionParameterClauseSyntax {
    fileprivate var labels: String { "(" + parameters.map { $0.firstName.text + ":" }.joined() + ")" }
}
