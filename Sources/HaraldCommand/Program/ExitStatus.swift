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
        case .success: "it did what was asked"
        case .failed: "the device refused, the link ended, pairing failed; or the output is full"
        case .usage: "the command line is wrong"
        case .badFile: "a device file or a scene is wrong, or bytes are no value of their type"
        case .notFound: "no such device, service or characteristic, or several"
        case .noAdapter: "the adapter is missing, switched off or not allowed"
        case .timeout: "no answer in time"
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
