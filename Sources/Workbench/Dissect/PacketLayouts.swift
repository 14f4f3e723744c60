import BluetoothHCI

/// The layouts of the packets that are shown field by field (Core 6.0, Vol 4, Part E, 7 and Vol 3, Part A, 4).
package enum PacketLayouts {
    /// The parameters of commands, by opcode.
    package static let commands = table(commandText)
    /// The return parameters of Command Complete after the status, by opcode.
    package static let returns = table(returnText)
    /// The parameters of events, by event code.
    package static let events = table(eventText)
    /// The parameters of LE Meta events, by subevent code.
    package static let lowEnergyEvents = table(lowEnergyEventText)
    /// The data of signalling packets, by code.
    package static let signals = table(signalText)

    /// The text of all tables, for a test that parses every line.
    package static var allText: [String] { [commandText, returnText, eventText, lowEnergyEventText, signalText] }

    /// Parses lines of a hexadecimal number and a layout. Malformed lines are omitted.
    package static func table(_ text: String) -> [UInt16: PacketLayout] {
        var table: [UInt16: PacketLayout] = [:]
        for line in text.split(separator: "\n") {
            let number = line.prefix { $0 != " " }
            guard let key = UInt16(number, radix: 16) else { continue }
            table[key] = PacketLayout(line.dropFirst(number.count))
        }
        return table
    }

    private static let own = "own:public|random|resolvable-else-public|resolvable-else-random"
    private static let wish = "minimum:1250us maximum:1250us latency:u16 timeout:10ms"
    private static let events625 = "shortest-event:625us longest-event:625us"

    private static let commandText = """
        0406 link reason
        041D link
        0C01 mask:x64
        0C13 name:text
        0C2D link type:current|maximum
        0C31 flow-control:off|acl|synchronous|both
        0C33 acl-length:u16 synchronous-length:u8 acl-packets:u16 synchronous-packets:u16
        0C35 links:count repeat link packets:u16
        0C63 mask:x64
        0C6D support:off|on simultaneous:off|on
        0C7B link
        0C7C link timeout:10ms
        1004 page:u8
        1405 link
        2001 mask:x64
        2005 address:bdaddr
        2006 minimum:625us maximum:625us type:connectable|directed-fast|scannable|unconnectable|directed \
        \(own) peer:addr channels:x8 filter:u8
        2008 data:ad31
        2009 data:ad31
        200A advertising:off|on
        200B scan:passive|active interval:625us window:625us \(own) filter:u8
        200C scan:off|on duplicates:kept|filtered
        200D interval:625us window:625us filter:u8 peer:addr \(own) \(wish) \(events625)
        2011 address:addr
        2012 address:addr
        2013 link \(wish) \(events625)
        2014 channels:bytes5
        2015 link
        2016 link
        2017 key:key data:key
        2019 link random:bytes8 diversifier:x16 key:key
        201A link key:key
        201B link
        2020 link \(wish) \(events625)
        2021 link reason
        2022 link octets:u16 time:us
        2024 octets:u16 time:us
        2026 public-key:hidden64
        205E public-key:hidden64 own-key:generated|debug
        2027 peer:addr peer-key:key own-key:key
        2028 peer:addr
        202B peer:addr
        202C peer:addr
        202D resolution:off|on
        202E timeout:seconds
        2030 link
        2031 any:x8 transmit:phys receive:phys
        2032 link any:x8 transmit:phys receive:phys options:x16
        2035 set:u8 address:bdaddr
        2036 set:u8 properties:x16 minimum:625us24 maximum:625us24 channels:x8 \(own) peer:addr filter:u8 power:dbm \
        primary:phy skip:u8 secondary:phy identifier:u8 scan-reports:off|on
        2037 set:u8 operation:middle|first|last|complete|unchanged fragment:u8 data:ad
        2038 set:u8 operation:middle|first|last|complete|unchanged fragment:u8 data:ad
        2039 advertising:off|on sets:count repeat set:u8 duration:10ms events:u8
        203C set:u8
        203E set:u8 minimum:1250us maximum:1250us properties:x16
        203F set:u8 operation:middle|first|last|complete|unchanged data:ad
        2040 advertising:off|on set:u8
        2041 \(own) filter:u8 on:phys repeat scan:passive|active interval:625us window:625us
        2042 scan:off|on duplicates:kept|filtered|filtered-per-period duration:10ms period:u16
        2043 filter:u8 \(own) peer:addr on:phys repeat interval:625us window:625us \(wish) \(events625)
        204D transmit:x16 receive:x16
        204E peer:addr privacy:network|device
        2074 bit:u8 value:off|on
        """

    private static let returnText = """
        0C14 name:text
        0C2D link power:dbm
        0C6C support:off|on simultaneous:off|on
        0C7B link timeout:10ms
        0C7C link
        1001 hci:version revision:x16 link-layer:version company:company subversion:x16
        1002 commands:bytes64
        1003 features:bytes8
        1004 page:u8 pages:u8 features:bytes8
        1005 acl-length:u16 synchronous-length:u8 acl-packets:u16 synchronous-packets:u16
        1009 address:bdaddr
        1405 link rssi:dbm
        2002 acl-length:u16 acl-packets:u8
        2003 features:bytes8
        2007 power:dbm
        200F size:u8
        2015 link channels:bytes5
        2017 data:key
        2018 random:hidden8
        201A link
        201B link
        201C states:bytes8
        2020 link
        2021 link
        2022 link
        2023 octets:u16 time:us
        202A size:u8
        202B address:bdaddr
        202C address:bdaddr
        202F transmit-octets:u16 transmit-time:us receive-octets:u16 receive-time:us
        2030 link transmit:phy receive:phy
        2036 power:dbm
        203A length:u16
        203B sets:u8
        204B minimum:dbm maximum:dbm
        204C transmit:x16 receive:x16
        2060 acl-length:u16 acl-packets:u8 iso-length:u16 iso-packets:u8
        """

    private static let eventText = """
        03 status link address:bdaddr type:synchronous|acl encryption:off|on
        05 status link reason
        08 status link encryption:off|on|on-with-aes
        0C status link version:version company:company subversion:x16
        10 code:x8
        13 links:count repeat link packets:u16
        1A link-type:u8
        30 status link
        57 link
        59 status link encryption:off|on|on-with-aes key-size:u8
        FF data:rest
        """

    private static let parameters = "interval:1250us latency:u16 timeout:10ms"

    private static let lowEnergyEventText = """
        01 status link role:central|peripheral peer:addr \(parameters) accuracy:u8
        03 status link \(parameters)
        04 status link features:bytes8
        05 link random:bytes8 diversifier:x16
        06 link \(wish)
        07 link transmit-octets:u16 transmit-time:us receive-octets:u16 receive-time:us
        08 status public-key:hidden64
        09 status key:hidden32
        0A status link role:central|peripheral peer:addr own-private:bdaddr peer-private:bdaddr \(parameters) accuracy:u8
        0C status link transmit:phy receive:phy
        0E status sync:link identifier:u8 advertiser:addr phy interval:1250us accuracy:u8
        0F sync:link power:dbm rssi:dbm extension:u8 state:complete|more|truncated data:ad
        10 sync:link
        12 status set:u8 link events:u8
        13 set:u8 scanner:addr
        14 link algorithm:u8
        29 status link role:central|peripheral peer:addr own-private:bdaddr peer-private:bdaddr \(parameters) \
        accuracy:u8 set:u8 sync:link
        """

    private static let signalText = """
        01 reason:16|not-understood|mtu-exceeded|invalid-channel data:rest
        02 psm:x16 source:x16
        03 destination:x16 source:x16 result:x16 status:x16
        06 destination:x16 source:x16
        07 destination:x16 source:x16
        0A type:x16
        0B type:x16 result:16|success|not-supported data:rest
        12 \(wish)
        13 result:16|accepted|rejected
        14 psm:x16 source:x16 mtu:u16 mps:u16 credits:u16
        15 destination:x16 mtu:u16 mps:u16 credits:u16 result:x16
        16 channel:x16 credits:u16
        17 psm:x16 mtu:u16 mps:u16 credits:u16 sources:channels
        18 mtu:u16 mps:u16 credits:u16 result:x16 destinations:channels
        19 mtu:u16 mps:u16 channels:channels
        1A result:16|success
        """
}
