/// Commands and their return parameters (Core 6.0, Vol 4, Part E, 7.1 to 7.8).
extension PacketLayouts {
    static let own = "own:public|random|resolvable-else-public|resolvable-else-random"
    static let wish = "minimum:1250us maximum:1250us latency:u16 timeout:10ms"
    static let events625 = "shortest-event:625us longest-event:625us"

    static let commandText = """
        0406 link reason
        040B "Link Key Request Reply" address:bdaddr key:key
        040D "PIN Code Request Reply" address:bdaddr length:u8 pin:key
        041D link
        042E "User Passkey Request Reply" address:bdaddr passkey:hidden4
        0430 "Remote OOB Data Request Reply" address:bdaddr hash:key randomizer:key
        0435 "Create Physical Link" link:u8 length:u8 type:u8 key:hidden
        0436 "Accept Physical Link" link:u8 length:u8 type:u8 key:hidden
        0445 "Remote OOB Extended Data Request Reply" address:bdaddr hash-192:key randomizer-192:key hash-256:key \
        randomizer-256:key
        0C01 mask:x64
        0C11 "Write Stored Link Key" keys:count repeat address:bdaddr key:key
        0C13 name:text
        0C2D link type:current|maximum
        0C31 flow-control:off|acl|synchronous|both
        0C33 acl-length:u16 synchronous-length:u8 acl-packets:u16 synchronous-packets:u16
        0C35 links:count repeat link packets:u16
        0C51 "Read Extended Inquiry Response"
        0C52 "Write Extended Inquiry Response" fec:off|on data:structures
        0C57 "Read Local OOB Data"
        0C63 mask:x64
        0C6D support:off|on simultaneous:off|on
        0C7B link
        0C7C link timeout:10ms
        0C7D "Read Local OOB Extended Data"
        1004 page:u8
        1405 link
        2001 mask:x64
        2005 address:bdaddr
        2006 minimum:625us maximum:625us type:connectable|directed-fast|scannable|unconnectable|directed \(own) \
        peer:addr channels:x8 filter:u8
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
        2019 link random:hidden8 diversifier:x16 key:key
        201A link key:key
        201B link
        2020 link \(wish) \(events625)
        2021 link reason
        2022 link octets:u16 time:us
        2024 octets:u16 time:us
        2026 public-key:hidden64
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
        205E public-key:hidden64 own-key:generated|debug
        2068 "LE Create BIG" group:u8 set:u8 streams:u8 interval:us24 sdu:u16 latency:u16 retransmissions:u8 on:x8 \
        packing:sequential|interleaved framing:unframed|framed encryption:off|on code:key
        2069 "LE Create BIG Test" group:u8 set:u8 streams:u8 interval:us24 iso-interval:1250us subevents:u8 sdu:u16 \
        pdu:u16 on:x8 packing:sequential|interleaved framing:unframed|framed burst:u8 repetitions:u8 offset:u8 \
        encryption:off|on code:key
        206B "LE BIG Create Sync" group:u8 sync:link encryption:off|on code:key subevents:u8 timeout:10ms \
        streams:count repeat stream:u8
        2074 bit:u8 value:off|on
        2082 "LE Set Periodic Advertising Subevent Data" set:u8 subevents:count repeat subevent:u8 slot:u8 slots:u8 \
        data:ad
        2083 "LE Set Periodic Advertising Response Data" sync:link event:u16 request-subevent:u8 \
        response-subevent:u8 slot:u8 data:ad
        """

    static let returnText = """
        0C14 name:text
        0C2D link power:dbm
        0C51 fec:off|on data:structures
        0C57 hash:key randomizer:key
        0C6C support:off|on simultaneous:off|on
        0C7B link timeout:10ms
        0C7C link
        0C7D hash-192:key randomizer-192:key hash-256:key randomizer-256:key
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
}
