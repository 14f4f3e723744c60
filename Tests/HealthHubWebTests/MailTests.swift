#if os(Linux)
import Foundation
import HealthHub
import NIOCore
import NIOPosix
import NIOSSL
import PeerSupport
import Testing

@testable import HealthHubWeb

/// Sends a text to whoever connects.
private final class Greeter: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let text: String
    init(text: String) { self.text = text }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}

@Suite("Mails to a server", .enabled(if: Peers.areAvailable, "\(Peers.howToGetThem)"), .timeLimit(.minutes(2)))
struct MailTests {
    private let message = MailMessage(
        from: "hub@example.org", to: "anna@example.org", subject: "Dringender Wert: Änne",
        text: "Änne: 192/88 mmHg\r\n.\r\nend", date: Date())
    private let account = (name: "hub", password: "geheim: ü")

    private func with(
        _ mode: String, _ body: (PeerProcess, MailSender, _ port: Int) async throws -> Void
    ) async throws {
        try await Peers.with(.mailServer, [mode]) { peer, ready in
            let pem = try #require(ready["certificate"]?.text)
            var sender = MailSender()
            sender.encryption.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))
            try await body(peer, sender, try #require(ready["port"]?.number.map { Int($0) }))
        }
    }

    private func server(_ port: Int, _ scheme: String = "smtp", isPlain: Bool = false) throws -> MailServer {
        try MailServer("\(scheme)://localhost:\(port)", isPlain: isPlain)
    }

    @Test("A mail arrives whole, encrypted and with a login", arguments: ["starttls", "login", "implicit", "plain"])
    func arrives(mode: String) async throws {
        try await with(mode) { peer, sender, port in
            let hasLogin = ["starttls", "login"].contains(mode)
            let server = try server(port, mode == "implicit" ? "smtps" : "smtp", isPlain: mode == "plain")
            let failure = await sender.send(message, to: server, account: hasLogin ? account : nil)
            #expect(failure == nil)
            let mail = try await peer.event("mail")
            #expect(mail["from"]?.text == "hub@example.org" && mail["to"] == .list([.text("anna@example.org")]))
            #expect(mail["subject"]?.text == message.subject && mail["defects"] == .list([]))
            #expect(mail["text"]?.text == message.text, "\(mail)")
            #expect(mail["tls"] == .bool(mode != "plain"))
            #expect(mail["user"] == (hasLogin ? .text("hub") : .null))
        }
    }

    @Test("What the server refuses is a problem, and nothing goes out in the clear")
    func refused() async throws {
        try await with("starttls") { _, sender, port in
            let wrong = await sender.send(message, to: try server(port), account: ("hub", "falsch"))?.problem
            #expect(wrong == "it refused the login: 535 5.7.8 wrong name or password")
            let other = MailMessage(
                from: "hub@example.org", to: "nobody@example.org", subject: "", text: "", date: Date())
            let unknown = await sender.send(other, to: try server(port), account: account)?.problem
            #expect(unknown == "it refused the recipient <nobody@example.org>: 550 5.1.1 no such mailbox")
            // A certificate that nobody has signed.
            let untrusted = await MailSender().send(message, to: try server(port), account: account)?.problem
            #expect(untrusted?.hasSuffix("certificate is not trusted") == true, "\(untrusted ?? "accepted")")
        }
        try await with("plain") { _, sender, port in
            let problem = await sender.send(message, to: try server(port), account: nil)?.problem
            #expect(problem == "it does not offer STARTTLS")
            let isNoTLS = await sender.send(message, to: try server(port, "smtps"), account: nil)?.problem
            #expect(isNoTLS != nil)
        }
        let nobody = await MailSender().send(message, to: try server(9), account: nil)?.problem
        #expect(nobody?.hasPrefix("it cannot be reached") == true, "\(nobody ?? "accepted")")
    }

    /// Accepts connections, sends `text`, then nothing.
    private func withServer(_ text: String, _ body: (Int) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { $0.pipeline.addHandler(Greeter(text: text)) }
            .bind(host: "127.0.0.1", port: 0).get()
        do { try await body(channel.localAddress?.port ?? 0) } catch {
            try await channel.close().get()
            throw error
        }
        try await channel.close().get()
    }

    @Test("A server that hangs, or injects text before TLS, is a problem")
    func hostile() async throws {
        var sender = MailSender()
        sender.limit = .milliseconds(300)
        try await withServer("220 x\r\n") { port in
            let failure = await sender.send(message, to: try server(port), account: nil)
            #expect(failure == .init(problem: "it did not respond in time"))
        }
        // It has the mail.
        try await withServer("220 x\r\n250 x\r\n250 x\r\n250 x\r\n354 x\r\n") { port in
            let failure = await sender.send(message, to: try server(port, isPlain: true), account: nil)
            #expect(failure == .init(problem: "it did not respond in time", mayHaveArrived: true))
        }
        // The reply to a later command arrives with that to STARTTLS.
        try await withServer("220 x\r\n250 STARTTLS\r\n220 go\r\n250 AUTH PLAIN\r\n") { port in
            let problem = await MailSender().send(message, to: try server(port), account: account)?.problem
            #expect(problem == "it sent data before TLS began")
        }
        try await withServer(String(repeating: "x", count: 100_000)) { port in
            let problem = await MailSender().send(message, to: try server(port), account: nil)?.problem
            #expect(problem == "it sent a line without end")
        }
    }
}
#endif
