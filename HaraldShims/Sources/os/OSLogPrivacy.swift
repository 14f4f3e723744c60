/// The visibility of a value in a log message. Private and sensitive values are never written. Values with `auto`, the
/// default, are written, as in the console of Xcode: the log belongs to the program and is not shared by the system.
public struct OSLogPrivacy: Sendable {
    /// The replacement for a hidden value.
    public enum Mask: Hashable, Sendable {
        /// A number that is the same for the same value in one run of the program.
        case hash
        /// No replacement: all hidden values look the same.
        case none
    }

    private enum Level { case shown, hidden }

    private let level: Level
    private let mask: Mask

    /// The value is shown.
    public static var auto: OSLogPrivacy { OSLogPrivacy(level: .shown, mask: .none) }
    /// The value is shown.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(level: .shown, mask: .none) }
    /// The value is hidden.
    public static var `private`: OSLogPrivacy { .private(mask: .none) }
    /// The value is hidden.
    public static var sensitive: OSLogPrivacy { .sensitive(mask: .none) }

    /// The value is shown.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(level: .shown, mask: mask) }
    /// The value is hidden behind a mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(level: .hidden, mask: mask) }
    /// The value is hidden behind a mask.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(level: .hidden, mask: mask) }

    /// The text of the value if it is shown; otherwise its mask.
    func shown(_ value: () -> String) -> String {
        switch (level, mask) {
        case (.shown, _): value()
        case (.hidden, .none): "<private>"
        // Seeded anew in each run.
        case (.hidden, .hash): "<mask.hash: '\(String(UInt(bitPattern: value().hashValue), radix: 16))'>"
        }
    }
}
