/// The replacements of each operator.
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

    /// Calls that stop the program or write diagnostics: their behaviour is not tested.
    static let exempt: Set<String> = [
        "fatalError", "precondition", "preconditionFailure", "assert", "assertionFailure", "init",
        "withExtendedLifetime",
    ]
    static let exemptReceivers: Set<String> = ["log", "logger"]
}
