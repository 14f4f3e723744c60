import BluetoothBackend
import BluetoothModel

/// Questions of pairing.
extension Scenario {
    static let pairing: [Scenario] = [
        Scenario("the user that pairs answers the question", needs: [.pairingQuestions]) { bench in
            let (asking, other) = (await bench.user(.accept), await bench.user(.refuse))
            let share = try await bench.connected(for: asking)
            _ = try await bench.connected(for: other, "other")
            let security = try await share { $0.pair() }.value()
            try require(security.level > .none, "the link is not secure: \(security)")
            try require(asking.questions.count, is: 1, "questions to the user that pairs")
            try require(other.questions.all, is: [], "questions to another user of the link")
        },
        Scenario("the newest user pairs with its own answers", needs: [.pairingQuestions]) { bench in
            let (older, newer) = (await bench.user(.refuse), await bench.user(.accept))
            _ = try await bench.connected(for: older, "older")
            let share = try await bench.connected(for: newer)
            try await share { $0.pair() }.value()
            try require(older.questions.all, is: [], "questions to the older user")
        },
        Scenario("a refused question fails the pairing", needs: [.pairingQuestions]) { bench in
            let user = await bench.user(.refuse)
            let share = try await bench.connected(for: user)
            try await share { $0.pair() }.pending.failsForSecurity()
            try await share { $0.read(.plain) }.pending.value()
        },
        Scenario("callers that pair at the same time are asked once, and all succeed", needs: [.pairingQuestions]) {
            bench in
            let user = await bench.user()
            let share = try await bench.connected(for: user)
            let requests = await share { share in (0..<3).map { share.pair("pair \($0)") } }
            try await user.questions.wait(for: "question", count: 1)
            await bench.run { _ in user.answer(.accept) }
            for request in requests { try await request.value() }
            try require(user.questions.count, is: 1, "questions")
        },
        Scenario("a cancelled pairing leaves the one of another caller", needs: [.pairingQuestions]) { bench in
            let user = await bench.user()
            let share = try await bench.connected(for: user)
            let (first, second) = await share { ($0.pair("first"), $0.pair("second")) }
            try await user.questions.wait(for: "question", count: 1)
            await share { $0.cancel(first) }
            try await first.pending.fails(with: .cancelled)
            try require(second.pending.isOpen, "the other pairing ended too")
            await bench.run { _ in user.answer(.accept) }
            try await second.value()
        },
        Scenario("a pairing that its last caller cancels is stopped", needs: [.pairingQuestions]) { bench in
            let user = await bench.user()
            let share = try await bench.connected(for: user)
            let (first, second) = await share { ($0.pair("first"), $0.pair("second")) }
            try await user.questions.wait(for: "question", count: 1)
            await share {
                $0.cancel(first)
                $0.cancel(second)
            }
            try await first.pending.fails(with: .cancelled)
            try await second.pending.fails(with: .cancelled)
            try await user.withdrawals.wait(for: "withdrawal", count: 1)
            try await share { $0.read(.plain) }.value()
        },
        Scenario("the end of the link withdraws the question and fails the pairing", needs: [.pairingQuestions]) {
            bench in
            let user = await bench.user()
            let share = try await bench.connected(for: user)
            let request = await share { $0.pair() }
            try await user.questions.wait(for: "question", count: 1)
            await bench.peer.disconnect()
            _ = try await request.pending.error()
            try await user.withdrawals.wait(for: "withdrawal", count: 1)
        },
        Scenario("a read that needs security asks the user that reads", needs: [.pairingQuestions]) { bench in
            let (older, newer) = (await bench.user(.refuse), await bench.user(.accept))
            _ = try await bench.connected(for: older, "older")
            let share = try await bench.connected(for: newer)
            try require(try await share { $0.read(.secret) }.value(), is: [5], "value")
            try require(newer.questions.count, is: 1, "questions to the user that reads")
            try require(older.questions.all, is: [], "questions to the older user")
        },
    ]
}
