/// What an operator is exchanged for.
enum Operators {
    static let changes: [String: [String]] = [
        "==": ["!="], "!=": ["=="], "===": ["!=="], "!==": ["==="],
        "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
        "&&": ["||"], "||": ["&&"],
        "+": ["-"], "-": ["+"], "&+": ["&-"], "&-": ["&+"], "+=": ["-="], "-=": ["+="], "&+=": ["&-="], "&-=": ["&+="],
    ]
    static let opposite = [
        "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    ]
    static let arithmetic: Set<String> = ["+", "+="]

    /// Calls that are there to stop a program, or to tell people: what they do is not under test.
    static let exempt: Set<String> = [
        "fatalError", "precondition", "preconditionFailure", "assert", "assertionFailure", "init",
        "withExtendedLifetime",
    ]
    static let exemptReceivers: Set<String> = ["log", "logger"]
}
