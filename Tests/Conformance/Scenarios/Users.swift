import BluetoothBackend
import BluetoothModel

/// Expectations of two users of one adapter.
extension Scenario {
    static let users: [Scenario] = [
        Scenario("a user that is removed refuses its question, and leaves those of others", needs: [.pairingQuestions])
        {
            bench in
            let (staying, leaving) = (await bench.user(.accept), await bench.user())
            let stays = try await bench.connected(for: staying, "staying")
            let share = try await bench.connected(for: leaving)
            let request = await share { $0.pair() }
            try await leaving.questions.wait(for: "question", count: 1)
            await bench.run { $0.removeUser(leaving.user) }
            try await request.pending.failsForSecurity()
            try await leaving.withdrawals.wait(for: "withdrawal", count: 1)
            try await stays { $0.read(.plain) }.value()
            try require(staying.questions.all, is: [], "questions to the user that stays")
        },
        Scenario("a link below a user's policy is not shared with it", needs: [.securityPolicies]) { bench in
            let (lenient, strict) = (
                await bench.user(hasHandler: false),
                await bench.user(policy: SecurityPolicy(requiresSecureConnections: true), hasHandler: false)
            )
            let share = try await bench.connected(for: lenient, "lenient")
            try await share { $0.pair() }.value()
            let attempt = await bench.run { bench.connect($0, for: strict, "strict") }
            try await attempt.pending.failsForSecurity()
            try require(await share { $0.isConnected }, "the lenient user lost its link")
        },
        Scenario("a pairing below the policy of another user of the link fails", needs: [.securityPolicies]) { bench in
            let lenient = await bench.user(hasHandler: false)
            let share = try await bench.connected(for: lenient, "lenient")
            let strict = await bench.user(
                policy: SecurityPolicy(requiresSecureConnections: true), hasHandler: false)
            let other = try await bench.connected(for: strict, "strict")
            // The strict user shares the link, so its policy applies to the link.
            try await share { $0.pair() }.pending.failsForSecurity()
            try require(await other { $0.isConnected }, "the strict user lost its link")
            try await other { $0.release() }.value()
            try require(await share { $0.isConnected }, "the lenient user lost its link")
        },
        Scenario("the end of one user's session leaves the attempt of another") { bench in
            await bench.peer.setReachable(false)
            let (one, other) = (await bench.user(hasHandler: false), await bench.user(hasHandler: false))
            let attempts = await bench.run { radio in
                [bench.connect(radio, for: one, "one"), bench.connect(radio, for: other, "other")]
            }
            await bench.turn()
            await bench.run { radio in
                attempts[0].cancel()
                radio.removeUser(one.user)
            }
            try await attempts[0].pending.fails(with: .cancelled)
            await bench.peer.setReachable(true)
            _ = try await attempts[1].value()
        },
    ]
}
