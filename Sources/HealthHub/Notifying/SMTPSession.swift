import Foundation

/// The client's side of the submission of one mail (RFC 5321, 3207 and 4954), without input and output.
package struct SMTPSession {
    package enum Action: Equatable {
        case send(String)
        /// Begin TLS; then call ``encrypted()``.
        case startTLS
        /// The mail was accepted, or not.
        case end(problem: String?)
    }

    private enum State {
        case greeting, hello, startTLS, plain, loginName, loginPassword, login, from, to, data, content
    }

    let message: MailMessage
    let account: (name: String, password: String)?
    /// True if nothing may be sent without encryption.
    let requiresEncryption: Bool
    private var isEncrypted: Bool
    private var state = State.greeting
    private var lines: [String] = []

    package init(
        _ message: MailMessage, account: (name: String, password: String)?, requiresEncryption: Bool, isEncrypted: Bool
    ) {
        (self.message, self.account) = (message, account)
        (self.requiresEncryption, self.isEncrypted) = (requiresEncryption, isEncrypted)
    }

    /// True while the server has the whole mail and has not answered.
    package var isSent: Bool { state == .content }

    /// Continues after the beginning of TLS. What the server said before is forgotten.
    package mutating func encrypted() -> Action {
        isEncrypted = true
        return hello()
    }

    /// Handles a line without its end. Returns nil if the reply continues.
    package mutating func receive(_ line: String) -> Action? {
        let code = line.prefix(3)
        guard code.utf8.count == 3, let number = Int(code), (200..<600).contains(number),
            [" ", "-", nil].contains(line.dropFirst(3).first)
        else { return .end(problem: "it is no mail server: it sent '\(Self.shown(line))'") }
        lines.append(String(line.dropFirst(4)))
        // A server that does not end its reply.
        guard lines.count < 100 else { return .end(problem: "it sent a reply without end") }
        if line.dropFirst(3).first == "-" { return nil }
        defer { lines = [] }
        return next(number)
    }

    private mutating func next(_ code: Int) -> Action {
        let (expected, command) =
            switch state {
            case .greeting: (220, "the connection")
            case .hello: (250, "EHLO")
            case .startTLS: (220, "STARTTLS")
            case .loginName, .loginPassword: (334, "the login")
            case .plain, .login: (235, "the login")
            case .from: (250, "the sender <\(message.from)>")
            case .to: (250, "the recipient <\(message.to)>")
            case .data: (354, "DATA")
            case .content: (250, "the mail")
            }
        // 251: the recipient is elsewhere, and the server forwards the mail.
        guard code == expected || code == 251 && expected == 250 else {
            return .end(problem: "it refused \(command): \(code) \(Self.shown(lines.joined(separator: " ")))")
        }
        switch state {
        case .greeting: return hello()
        case .hello: return afterHello()
        case .startTLS: return .startTLS
        case .loginName: return send(Self.base64(account?.name ?? ""), .loginPassword)
        case .loginPassword: return send(Self.base64(account?.password ?? ""), .login)
        case .plain, .login: return send("MAIL FROM:<\(message.from)>", .from)
        case .from: return send("RCPT TO:<\(message.to)>", .to)
        case .to: return send("DATA", .data)
        case .data: return send(message.lines + ".", .content)
        case .content: return .end(problem: nil)
        }
    }

    private mutating func hello() -> Action { send("EHLO harald.invalid", .hello) }

    private mutating func afterHello() -> Action {
        let words = lines.map { $0.uppercased().split(whereSeparator: { $0 == " " || $0 == "=" }) }
        if requiresEncryption, !isEncrypted {
            guard words.contains(["STARTTLS"]) else { return .end(problem: "it does not offer STARTTLS") }
            return send("STARTTLS", .startTLS)
        }
        guard let account else { return send("MAIL FROM:<\(message.from)>", .from) }
        let ways = words.first { $0.first == "AUTH" }?.dropFirst() ?? []
        if ways.contains("PLAIN") {
            return send("AUTH PLAIN " + Self.base64("\0\(account.name)\0\(account.password)"), .plain)
        }
        if ways.contains("LOGIN") { return send("AUTH LOGIN", .loginName) }
        return .end(problem: "it offers no login with a password (AUTH PLAIN or LOGIN)")
    }

    private mutating func send(_ text: String, _ state: State) -> Action {
        self.state = state
        return .send(text + "\r\n")
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func shown(_ text: String) -> String {
        String(text.prefix(200).map { $0.isASCII && !$0.isNewline && $0 >= " " ? $0 : "?" })
    }
}
