#if os(Linux)
import Harald
import PeerSupport
import Synchronization
import Testing

/// One pairing with Bumble: the capabilities of both sides, and the expected result.
struct PeerPairing: Sendable, CustomStringConvertible {
    let description: String
    let ours: PairingCapability
    /// Bumble's side as `Tests/Peers/pairing.py` names it.
    let theirs: String
    let isSecureConnections: Bool
    let level: LinkSecurity.Level
    /// The question to the local user where this side began; the side that did not begin confirms Just Works.
    let question: Question

    enum Question { case nothing, display, enter, compare }

    private init(
        _ name: String, _ ours: PairingCapability, _ theirs: String, secure: Bool, _ level: LinkSecurity.Level,
        _ question: Question
    ) {
        description = (secure ? "" : "legacy ") + name
        self.ours = ours
        self.theirs = theirs
        isSecureConnections = secure
        self.level = level
        self.question = question
    }

    static let all = [
        PeerPairing("Just Works", .keyboardDisplay, "none", secure: true, .encrypted, .nothing),
        PeerPairing("passkey, entered here", .keyboardOnly, "display", secure: true, .secureConnections, .enter),
        PeerPairing("passkey, shown here", .displayOnly, "keyboard", secure: true, .secureConnections, .display),
        PeerPairing("numeric comparison", .displayYesNo, "yesno", secure: true, .secureConnections, .compare),
        PeerPairing("Just Works", .keyboardDisplay, "none", secure: false, .encrypted, .nothing),
        PeerPairing("passkey, entered here", .keyboardOnly, "display", secure: false, .authenticated, .enter),
        PeerPairing("passkey, shown here", .displayOnly, "keyboard", secure: false, .authenticated, .display),
    ]

    /// Numeric comparison.
    static let comparison = all[3]

    /// Sets Bumble's capabilities for the next pairing.
    func configure(_ bumble: PeerProcess) async throws {
        let isProtected = question != .nothing
        try await bumble.command("configure \(theirs) \(isSecureConnections ? 1 : 0) \(isProtected ? 1 : 0)")
    }

    /// Expects that the local user was asked the questions of the model, and no others.
    func expectQuestions(_ user: PeerPairingUser, weBegan: Bool) {
        let questions = user.questions
        #expect(questions.count == (question == .nothing && weBegan ? 0 : 1), "\(self)")
        switch (questions.first, question) {
        case (nil, .nothing), (.confirm, .nothing), (.display, .display), (.enterPasskey, .enter), (.compare, .compare):
            break
        default: Issue.record("\(self): our user was asked \(questions)")
        }
    }
}

/// A person with both devices in front of them: carries numbers between our side and Bumble's.
final class PeerPairingUser: PairingDelegate {
    let capability: PairingCapability
    private let bumble: PeerProcess
    private let asked = Mutex<[PairingQuestion]>([])

    init(_ capability: PairingCapability, _ bumble: PeerProcess) {
        self.capability = capability
        self.bumble = bumble
    }

    var questions: [PairingQuestion] { asked.withLock { $0 } }

    /// Both programs are the user's.
    func replacesBond(with peripheral: PeripheralID) async -> Bool { true }

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        asked.withLock { $0.append(question) }
        do {
            switch question {
            case .confirm: return .accept
            case .display(let passkey):
                try await bumble.event("asked") { $0["question"]?.text == "passkey" }
                try await bumble.command("answer \(passkey)")
                return .accept
            case .enterPasskey:
                let shown = try await bumble.event("shown")
                return .passkey(UInt32(shown["number"]?.int ?? 0))
            case .compare(let number):
                let there = try await bumble.event("asked") { $0["question"]?.text == "compare" }
                #expect(there["number"]?.int == Int(number))
                try await bumble.command("answer \(there["number"]?.int == Int(number) ? "yes" : "no")")
                return .accept
            }
        } catch {
            Issue.record("our user: \(error)")
            return .refuse
        }
    }
}
#endif
