import Foundation
import Synchronization
import Testing

@testable import WebServer

@Suite struct TokenRateTests {
    /// The seconds of `Retry-After`; nil for a request that may begin.
    private func wait(_ rates: TokenRates, _ name: String) -> Int? {
        do {
            try rates.begin(name)
            return nil
        } catch {
            return error.headers[.retryAfter].flatMap { Int($0) }
        }
    }

    @Test func aTokenAboveItsRateWaitsAndOthersDoNot() {
        let now = Mutex(ContinuousClock.now)
        let rates = TokenRates(RequestRate(perSecond: 0.5)) { now.withLock { $0 } }
        for _ in 0..<5 {
            #expect(wait(rates, "a") == nil)
            rates.end("a")
        }
        #expect(wait(rates, "a") == 2)
        #expect(wait(rates, "b") == nil)
        now.withLock { $0 += .seconds(1) }
        #expect(wait(rates, "a") == 1)
        now.withLock { $0 += .seconds(1) }
        #expect(wait(rates, "a") == nil)
        rates.end("a")
        now.withLock { $0 += .seconds(3600) }
        for _ in 0..<5 {
            #expect(wait(rates, "a") == nil)
            rates.end("a")
        }
        #expect(wait(rates, "a") == 2)
    }

    @Test func requestsInProgressAreLimited() {
        let rates = TokenRates(RequestRate(perSecond: 1000, concurrent: 2))
        #expect(wait(rates, "a") == nil && wait(rates, "a") == nil && wait(rates, "a") == 1)
        #expect(wait(rates, "b") == nil)
        rates.end("a")
        #expect(wait(rates, "a") == nil)
    }
}
