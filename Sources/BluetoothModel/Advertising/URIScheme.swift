/// The one-character codes of URI schemes in advertising data (Assigned Numbers, 2.7).
enum URIScheme {
    /// The schemes, from code 2 on. Code 1 means that no scheme is abbreviated.
    private static let names = """
        aaa aaas about acap acct cap cid coap coaps crid data dav dict dns file ftp geo go gopher h323 http https \
        iax icap im imap info ipp ipps iris iris.beep iris.xpc iris.xpcs iris.lwz jabber ldap mailto mid msrp msrps \
        mtqp mupdate news nfs ni nih nntp opaquelocktoken pop pres reload rtsp rtsps rtspu service session shttp \
        sieve sip sips sms snmp soap.beep soap.beeps stun stuns tag tel telnet tftp thismessage tn3270 tip turn \
        turns tv urn vemmi ws wss xcon xcon-userid xmlrpc.beep xmlrpc.beeps xmpp z39.50r z39.50s acr adiumxtra afp \
        afs aim apt attachment aw barion beshare bitcoin bolo callto chrome chrome-extension com-eventbrite-attendee \
        content cvs dlna-playsingle dlna-playcontainer dtn dvb ed2k facetime feed feedready finger fish gg git \
        gizmoproject gtalk ham hcp icon ipn irc irc6 ircs itms jar jms keyparc lastfm ldaps magnet maps market \
        message mms ms-help ms-settings-power msnim mumble mvn notes oid palm paparazzi pkcs11 platform proxy psyc \
        query res resource rmi rsync rtmfp rtmp secondlife sftp sgn skype smb smtp soldat spotify ssh steam submit \
        svn teamspeak teliaeid things udp unreal ut2004 ventrilo view-source webcal wtai wyciwyg xfire xri ymsgr \
        example ms-settings-cloudstorage
        """.split(separator: " ")

    /// Returns the URI with its scheme spelled out; the text unchanged if its code is unknown.
    static func expand(_ text: String) -> String {
        guard let code = text.unicodeScalars.first else { return text }
        let rest = String(text.unicodeScalars.dropFirst())
        if code.value == 1 { return rest }
        guard code.value >= 2, Int(code.value) - 2 < names.count else { return text }
        return "\(names[Int(code.value) - 2]):\(rest)"
    }

    /// Returns the URI with its scheme abbreviated to one character. Schemes are case-insensitive.
    static func compress(_ uri: String) -> String {
        let scheme = uri.prefix { $0 != ":" }
        let index = scheme.count < uri.count ? names.firstIndex { $0 == scheme.lowercased() } : nil
        guard let index, let code = Unicode.Scalar(UInt32(index + 2)) else { return "\u{1}" + uri }
        return String(Character(code)) + uri.dropFirst(scheme.count + 1)
    }
}
