import Foundation
import Testing

@testable import HealthHub

@Suite("The submission of a mail")
struct SMTPSessionTests {
    private let message = MailMessage(
        from: "hub@example.org", to: "anna@example.org", subject: "Urgent value", text: "Anna: 192/88 mmHg",
        date: Date(timeIntervalSince1970: 1_790_000_000))

    /// Gives a server's lines to a session; returns what the session sends, with `<TLS>` and the end.
    private func dialogue(
        _ lines: [String], account: (String, String)? = nil, requiresEncryption: Bool = true, isEncrypted: Bool = false
    ) -> [String] {
        var session = SMTPSession(
            message, account: account.map { (name: $0.0, password: $0.1) }, requiresEncryption: requiresEncryption,
            isEncrypted: isEncrypted)
        var sent: [String] = []
        func perform(_ action: SMTPSession.Action?) {
            switch action {
            case .send(let text)?: sent.append(text)
            case .startTLS?:
                sent.append("<TLS>")
                perform(session.encrypted())
            case .end(let problem)?: sent.append("<\(problem ?? "accepted")>")
            case nil: break
            }
        }
        for line in lines where sent.last?.hasPrefix("<") != true || sent.last == "<TLS>" {
            perform(session.receive(line))
        }
        return sent
    }

    private let rest = ["250 OK", "250 OK", "354 go on", "250 2.0.0 queued"]

    @Test("TLS begins before the login, and what the server said before is forgotten")
    func startTLS() {
        let sent = dialogue(
            [
                "220 mail ESMTP", "250-mail", "250-AUTH PLAIN", "250 STARTTLS", "220 go on", "250-mail",
                "250 AUTH LOGIN",
                "334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", "235 welcome",
            ] + rest, account: ("hub", "geheim"))
        #expect(
            sent.map { $0.hasPrefix("From:") ? "CONTENT" : $0 } == [
                "EHLO harald.invalid\r\n", "STARTTLS\r\n", "<TLS>", "EHLO harald.invalid\r\n", "AUTH LOGIN\r\n",
                "aHVi\r\n", "Z2VoZWlt\r\n", "MAIL FROM:<hub@example.org>\r\n", "RCPT TO:<anna@example.org>\r\n",
                "DATA\r\n", "CONTENT", "<accepted>",
            ])
        let plain = dialogue(
            ["220 x", "250-x", "250 AUTH LOGIN PLAIN", "235 OK"], account: ("hub", "ü"), isEncrypted: true)
        #expect(plain[1] == "AUTH PLAIN " + Data("\0hub\0ü".utf8).base64EncodedString() + "\r\n")
    }

    @Test("Nothing is sent in the clear unless it may be")
    func clear() {
        let offers = ["220 x", "250-x", "250 AUTH PLAIN"]
        #expect(
            dialogue(offers + rest, account: ("hub", "geheim"))
                == ["EHLO harald.invalid\r\n", "<it does not offer STARTTLS>"])
        // A parameter is no offer, and a refusal no beginning of TLS.
        #expect(dialogue(["220 x", "250 STARTTLSX"]).last == "<it does not offer STARTTLS>")
        #expect(dialogue(["220 x", "250 STARTTLS", "454 not now"]).last == "<it refused STARTTLS: 454 not now>")
        #expect(dialogue(["220 x", "250 x"] + rest, requiresEncryption: false).last == "<accepted>")
    }

    @Test(
        "A refusal is a problem that says what was refused",
        arguments: [
            (["554 no"], "it refused the connection: 554 no"), (["220 x", "500 no"], "it refused EHLO: 500 no"),
            (["220 x", "250-x", "250 AUTH PLAIN", "535 wrong"], "it refused the login: 535 wrong"),
            (["220 x", "250 x"], "it offers no login with a password (AUTH PLAIN or LOGIN)"),
            (["220 x", "250 AUTH PLAIN", "235 x", "550 no"], "it refused the sender <hub@example.org>: 550 no"),
            (
                ["220 x", "250 AUTH PLAIN", "235 x", "250 x", "550-no such", "550 mailbox\u{7}"],
                "it refused the recipient <anna@example.org>: 550 no such mailbox?"
            ),
            (["220 x", "250 AUTH PLAIN", "235 x", "250 x", "251 x", "452 full"], "it refused DATA: 452 full"),
            (
                ["220 x", "250 AUTH PLAIN", "235 x", "250 x", "250 x", "354 x", "552 too big"],
                "it refused the mail: 552 too big"
            ),
            (["SSH-2.0-x"], "it is no mail server: it sent 'SSH-2.0-x'"), ([""], "it is no mail server: it sent ''"),
            (["2200 x"], "it is no mail server: it sent '2200 x'"),
            (Array(repeating: "220-x", count: 200), "it sent a reply without end"),
        ] as [([String], String)])
    func refusals(lines: [String], problem: String) {
        #expect(dialogue(lines, account: ("hub", "geheim"), isEncrypted: true).last == "<\(problem)>")
    }

    @Test("Text cannot become a header field, an end of the mail or a command")
    func injection() throws {
        let hostile = "x\r\nBcc: all@example.org\r\n\r\n.\r\nQUIT"
        let mail = MailMessage(
            from: "hub@example.org", to: "anna@example.org", subject: hostile + String(repeating: "ü", count: 200),
            text: hostile + "\r\n.\r\n", date: Date())
        let lines = mail.lines.components(separatedBy: "\r\n")
        #expect(!mail.lines.contains("Bcc") && !lines.contains { $0.hasPrefix(".") })
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
        let names = lines.prefix { !$0.isEmpty }.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
                "Content-Transfer-Encoding",
            ])
        #expect(MailMessage.encoded("Urgent value: Anna") == "Urgent value: Anna")
        #expect(MailMessage.encoded("=?UTF-8?Q?x?=").hasPrefix("=?UTF-8?B?"))
        for address in ["anna", "@x", "a@", "a@b@c", "a b@c", "a@b\r\nRCPT TO:<c@d>", "<a@b>", "a@ü.de", "a,b@c", ""] {
            #expect(!MailMessage.isAddress(address), "\(address)")
        }
        #expect(MailMessage.isAddress("anna+hub@mail.example.org"))
    }

    @Test("Addresses of servers")
    func servers() throws {
        #expect(try MailServer("smtp://mail.example", isPlain: false).port == 587)
        let implicit = try MailServer("smtps://mail.example:4650/", isPlain: false)
        #expect(implicit.port == 4650 && implicit.isImplicit && implicit.host == "mail.example")
        #expect(try MailServer("smtp://[::1]:25", isPlain: true).isPlain)
        for text in [
            "mail.example", "http://x", "smtp://", "smtp://x:0", "smtp://u:p@x", "smtp://x/y", "smtp://x:70000",
        ] {
            #expect(throws: HubProblem.self, "\(text)") { try MailServer(text, isPlain: false) }
        }
        for text in ["smtp://mail.example", "smtp://127.example", "smtp://10.0.0.1"] {
            #expect(throws: HubProblem.self, "\(text)") { try MailServer(text, isPlain: true) }
        }
    }
}
