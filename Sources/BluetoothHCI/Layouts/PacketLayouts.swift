/// The layouts of packets (Core 6.0, Vol 4, Part E, 7 and Vol 3, Part A, 4): what of a packet may be shown.
///
/// A packet without a layout is concealed, because it may hold a key. So are the octets after the last field.
package enum PacketLayouts {
    /// The parameters of commands, by opcode.
    package static let commands = table(commandText).merging(plain(plainCommandText)) { known, _ in known }
    /// The return parameters of Command Complete after the status, by opcode.
    package static let returns = table(returnText).merging(plain(plainCommandText)) { known, _ in known }
    /// The parameters of events, by event code.
    package static let events = table(eventText).merging(plain(plainEventText)) { known, _ in known }
    /// The parameters of LE Meta events, by subevent code.
    package static let lowEnergyEvents = table(lowEnergyEventText)
        .merging(plain(plainLowEnergyEventText)) { known, _ in known }
    /// The data of signalling packets, by code.
    package static let signals = table(signalText)

    /// The names of commands, events and LE Meta events that the host stack does not use.
    static let commandNames = names(commandText + "\n" + plainCommandText)
    static let eventNames = names(eventText + "\n" + plainEventText)
    static let lowEnergyEventNames = names(lowEnergyEventText + "\n" + plainLowEnergyEventText)

    /// The text of all tables of layouts, for a test that parses every line.
    package static var allText: [String] { [commandText, returnText, eventText, lowEnergyEventText, signalText] }

    /// Parses lines of a hexadecimal number, a name in quotation marks if it is not known elsewhere, and a layout.
    /// Malformed lines are omitted, so that their packets are concealed.
    package static func table(_ text: String) -> [UInt16: PacketLayout] {
        entries(text).reduce(into: [:]) { table, entry in
            let isNamed = entry.rest.hasPrefix("\"")
            let fields = isNamed ? entry.rest.split(separator: "\"").dropFirst().first ?? "" : entry.rest
            table[entry.key] = PacketLayout(fields)
        }
    }

    /// Returns the layout of packets whose parameters are shown as they are, for lines of a number and a name.
    private static func plain(_ text: String) -> [UInt16: PacketLayout] {
        entries(text).reduce(into: [:]) { $0[$1.key] = PacketLayout.plain }
    }

    private static func names(_ text: String) -> [UInt16: String] {
        entries(text).reduce(into: [:]) { names, entry in
            if entry.rest.contains(where: \.isUppercase) {
                names[entry.key] = String(entry.rest.split(separator: "\"")[0])
            }
        }
    }

    private static func entries(_ text: String) -> [(key: UInt16, rest: Substring)] {
        text.split(separator: "\n").compactMap { line in
            let number = line.prefix { $0 != " " }
            return UInt16(number, radix: 16).map { ($0, line.dropFirst(number.count + 1)) }
        }
    }
}
