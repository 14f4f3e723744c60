import Foundation

/// A mail with one text (RFC 5322).
package struct MailMessage: Sendable {
    package let from, to, subject, text: String
    package let date: Date

    /// - Parameters:
    ///   - from: an address, as ``isAddress(_:)`` allows it.
    ///   - to: likewise.
    package init(from: String, to: String, subject: String, text: String, date: Date) {
        (self.from, self.to, self.subject, self.text, self.date) = (from, to, subject, text, date)
    }

    /// The message with line ends of CR and LF. Its lines have at most 78 octets, and none begins with a dot: the text
    /// is in base64.
    package var lines: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
        let host = from.split(separator: "@").last ?? "localhost"
        let body = Data(text.utf8).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        return [
            "From: <\(from)>", "To: <\(to)>", "Subject: \(Self.encoded(subject))",
            "Date: \(formatter.string(from: date))", "Message-ID: <\(UUID().uuidString.lowercased())@\(host)>",
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64", "", body, "",
        ].joined(separator: "\r\n")
    }

    /// Returns a text for a header field: as it is if it is short printable ASCII, else in encoded words (RFC 2047),
    /// which contain neither control characters nor the ends of a line, except before a continuation.
    static func encoded(_ text: String, separator: String = "\r\n ") -> String {
        let isPlain =
            text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && text.utf8.count <= 60 && !text.contains("=?")
        if isPlain { return text }
        var words: [String] = []
        var part: [UInt8] = []
        func end() {
            if !part.isEmpty { words.append("=?UTF-8?B?\(Data(part).base64EncodedString())?=") }
            part = []
        }
        // A line has at most 78 octets, and a word does not divide a character.
        for scalar in text.unicodeScalars {
            let octets = Array(String(scalar).utf8)
            if part.count + octets.count > 42 { end() }
            part += octets
        }
        end()
        return words.joined(separator: separator)
    }

    /// Returns true for an address that needs no quotation.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !#"<>()[],;:\""#.utf8.contains($0) }
    }
}

/// The server for submitting mails: `smtp://HOST:587` with STARTTLS, or `smtps://HOST:465` with TLS from the beginning.
package struct MailServer: Sendable, Equatable {
    package let host: String
    package let port: Int
    /// True if TLS begins with the connection (RFC 8314).
    package let isImplicit: Bool
    /// True if mails may be sent without encryption: a server on this machine.
    package let isPlain: Bool

    /// Parses an address.
    /// - Throws: ``HubProblem`` for another form, and for a plain server that is not on this machine.
    package init(_ text: String, isPlain: Bool) throws {
        guard let match = text.wholeMatch(of: /(smtps?):\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::([0-9]{1,5}))?\/?/),
            let port = match.3.map({ Int($0) }) ?? (match.1 == "smtps" ? 465 : 587), (1...65535).contains(port)
        else {
            throw HubProblem(
                .invalid, "'\(text)' is no address of a mail server; expected smtp://HOST:587 or smtps://HOST:465")
        }
        host = match.2.trimmingCharacters(in: ["[", "]"])
        (self.port, isImplicit, self.isPlain) = (port, match.1 == "smtps", isPlain && match.1 == "smtp")
        let isLocal = host == "localhost" || host == "::1" || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
        guard !isPlain || isLocal else {
            throw HubProblem(
                .invalid, "mails to '\(host)' must be encrypted; only a server on this machine may be plain")
        }
    }
}
