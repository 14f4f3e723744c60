/// The exit status of the program; scripts rely on the numbers.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case failed = 1
    case usage = 64
    case badFile = 65
    case notFound = 66
    case noAdapter = 69
    case timeout = 75
    case interrupted = 130
    case terminated = 143

    var meaning: String {
        switch self {
        case .success: "success"
        case .failed: "the device refused, the link ended, pairing failed, or the output cannot be written"
        case .usage: "the command line is invalid"
        case .badFile: "a device file or a scene is invalid, or bytes are not a value of their type"
        case .notFound: "no device, service or characteristic matches, or several match; no such file"
        case .noAdapter: "the adapter is missing, off or not permitted"
        case .timeout: "timeout"
        case .interrupted: "Ctrl-C"
        case .terminated: "SIGTERM"
        }
    }

    /// A table of all statuses, for the help.
    static let table = allCases.map { status in
        let number = String(status.rawValue)
        return String(repeating: " ", count: 5 - number.count) + number + "  " + status.meaning
    }.joined(separator: "\n")
}
