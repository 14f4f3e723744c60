/// Events (Core 6.0, Vol 4, Part E, 7.7) and signalling packets (Vol 3, Part A, 4).
extension PacketLayouts {
    static let eventText = """
        03 status link address:bdaddr type:synchronous|acl encryption:off|on
        05 status link reason
        07 "Remote Name Request Complete" status address:bdaddr name:text
        08 status link encryption:off|on|on-with-aes
        0C status link version:version company:company subversion:x16
        0F status credits:u8 command:x16
        10 code:x8
        13 links:count repeat link packets:u16
        15 "Return Link Keys" keys:count repeat address:bdaddr key:key
        18 "Link Key Notification" address:bdaddr key:key type:u8
        1A link-type:u8
        2F "Extended Inquiry Result" responses:u8 address:bdaddr repetition:u8 reserved:u8 class:bytes3 clock:x16 \
        rssi:dbm data:structures
        30 status link
        33 "User Confirmation Request" address:bdaddr number:hidden4
        3B "User Passkey Notification" address:bdaddr passkey:hidden4
        57 link
        59 status link encryption:off|on|on-with-aes key-size:u8
        """

    private static let parameters = "interval:1250us latency:u16 timeout:10ms"

    static let lowEnergyEventText = """
        01 status link role:central|peripheral peer:addr \(parameters) accuracy:u8
        02 reports:count repeat type:u8 peer:addr data:ad rssi:dbm
        03 status link \(parameters)
        04 status link features:bytes8
        05 link random:hidden8 diversifier:x16
        06 link \(wish)
        07 link transmit-octets:u16 transmit-time:us receive-octets:u16 receive-time:us
        08 status public-key:hidden64
        09 status key:hidden32
        0A status link role:central|peripheral peer:addr own-private:bdaddr peer-private:bdaddr \(parameters) \
        accuracy:u8
        0B reports:count repeat type:u8 peer:addr own:addr rssi:dbm
        0C status link transmit:phy receive:phy
        0D reports:count repeat type:x16 peer:addr primary:u8 secondary:u8 set:u8 power:dbm rssi:dbm interval:1250us \
        target:addr data:ad
        0E status sync:link identifier:u8 advertiser:addr phy interval:1250us accuracy:u8
        0F sync:link power:dbm rssi:dbm extension:u8 state:complete|more|truncated data:ad
        10 sync:link
        12 status set:u8 link events:u8
        13 set:u8 scanner:addr
        14 link algorithm:u8
        25 "LE Periodic Advertising Report [v2]" sync:link power:dbm rssi:dbm extension:u8 event:u16 subevent:u8 \
        state:complete|more|truncated data:ad
        28 "LE Periodic Advertising Response Report" set:u8 subevent:u8 transmission:u8 responses:count repeat \
        power:dbm rssi:dbm extension:u8 slot:u8 state:complete|more|truncated data:ad
        29 "LE Enhanced Connection Complete [v2]" status link role:central|peripheral peer:addr own-private:bdaddr \
        peer-private:bdaddr \(parameters) accuracy:u8 set:u8 sync:link
        """

    static let signalText = """
        01 reason:16|not-understood|mtu-exceeded|invalid-channel data:rest
        02 psm:x16 source:x16
        03 destination:x16 source:x16 result:x16 status:x16
        04 destination:x16 flags:x16 options:rest
        05 source:x16 flags:x16 result:x16 options:rest
        06 destination:x16 source:x16
        07 destination:x16 source:x16
        08 data:rest
        09 data:rest
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
