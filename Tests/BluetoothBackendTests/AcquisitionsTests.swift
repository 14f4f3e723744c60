import Testing

@testable import BluetoothBackend

@Suite struct AcquisitionsTests {
    /// `#expect` cannot call a mutating method.
    private func check(_ result: Bool, is expected: Bool = true, at location: SourceLocation = #_sourceLocation) {
        #expect(result == expected, sourceLocation: location)
    }

    @Test func aFailedAcquisitionRemovesItselfAlone() {
        var link = Acquisitions<String>()
        let pending = link.acquire(by: "a")
        let failed = link.acquire(by: "a")
        check(link.release(failed))
        #expect(link.holders == ["a"])
        check(link.establish(pending))
        #expect(link.holders == ["a"])
    }

    @Test func acquireFailAcquire() {
        var link = Acquisitions<String>()
        let first = link.acquire(by: "a")
        link.release(first)
        #expect(link.isEmpty)
        let second = link.acquire(by: "a")
        // The first caller learns of its failure late.
        check(link.release(first), is: false)
        check(link.establish(first), is: false)
        check(link.establish(second))
    }

    @Test func releaseWhileStarting() {
        var link = Acquisitions<String>()
        let token = link.acquire(by: "a")
        _ = link.acquire(by: "b")
        check(link.releaseAll(of: "a"))
        check(link.establish(token), is: false)
        #expect(link.holders == ["b"])
        check(link.releaseAll(of: "a"), is: false)
    }

    @Test func aHolderIsCountedOnce() {
        var link = Acquisitions<String>()
        for _ in 1...3 {
            let token = link.acquire(by: "a")
            check(link.establish(token))
        }
        #expect(link.holders.count == 1)
        check(link.releaseAll(of: "a"))
        #expect(link.isEmpty)
    }

    @Test func anEndKeepsThoseThatWaitForTheNextStart() {
        var link = Acquisitions<String>()
        let held = link.acquire(by: "a")
        check(link.establish(held))
        let next = link.acquire(by: "b")
        link.releaseEstablished()
        #expect(link.holders == ["b"])
        check(link.establish(next))
    }
}
