import Testing

@testable import Mutation

private func source(_ text: String) -> SourceText { SourceText(path: "Sources/M/F.swift", text: text) }

@Suite struct FaultTests {
    @Test func findsAndWritesAComparison() throws {
        let file = source("struct S { func f(_ a: Int, b: Int) -> Bool { a < b } }\n")
        #expect(file.faults.map(\.change) == ["< → <=", "< → >="])
        #expect(file.faults.map(\.declaration) == ["S.f(_:b:)", "S.f(_:b:)"])
        let (shift, flip) = (file.faults[0], file.faults[1])
        #expect(
            file.text(with: [shift])
                == """
                import CFaultSwitch
                struct S { func f(_ a: Int, b: Int) -> Bool { (harald_fault(\(shift.number)) ? (a <= b) : (a < b)) } }

                """)
        #expect(file.text(with: [flip]).contains("{ (harald_fault(\(flip.number)) != (a < b)) }"))
    }

    @Test func writesFaultsInFaults() throws {
        let file = source("func f(_ a: Int, _ c: Bool) { if a > 0 && !c { g(a) } }\n")
        #expect(
            file.faults.map(\.change) == [
                "a > 0 && !c → !(a > 0 && !c)", "&& → ||", "> → >=", "> → <=", "0 → 1", "!c → c", "g(…) → nothing",
            ])
        let text = file.text(with: file.faults)
        for fault in file.faults { #expect(text.contains("harald_fault(\(fault.number))")) }
        // The result is valid Swift.
        #expect(source(text).tree.hasError == false)
    }

    @Test func ignoresCodeThatIsNotUnderTest() {
        let text = """
            #if os(Windows)
            let a = 1 + 2
            #endif
            enum E: Int { case a = 1 }
            @available(macOS 15, *) func f(_ x: Int) {
                precondition(x == x)
                log.debug("x")
                switch x { case 3: break; default: break }
            }
            """
        #expect(source(text).faults.map(\.change) == ["== → !="])
    }

    @Test func aLineKeepsItsIdentityWhenOthersMove() {
        let before = source("func f() { a(17) }\n").faults
        let after = source("// more\nfunc g() {}\nfunc f() { a(17) }\n").faults
        #expect(before.map(\.identity) == after.map(\.identity))
        #expect(before.map(\.number) == after.map(\.number))
        #expect(after.map(\.line) == [3, 3])
    }

    @Test func aRepeatedChangeOfALineHasANumber() {
        #expect(
            source("func f() { a(true, true) }").faults.map(\.change).suffix(2) == ["true → false", "true → false #2"])
    }

    @Test func aReturnedVoidCallIsRemoved() {
        let file = source("func f(a: Int) { guard a > 1 else { return g() } }")
        let fault = file.faults.first { $0.change == "return g(…) → return" }
        #expect(
            fault.map { file.text(with: [$0]).contains("{ if harald_fault(\($0.number)) { return }; return g() }") }
                == true)
        #expect(!source("func f() -> Int { return g() }").faults.contains { $0.change.hasPrefix("return") })
    }

    @Test func drawnFaultsDependOnTheSeed() {
        let all = source("func f() { a(1, 2, 3, 4, 5, 6, 7, 8, true, false) }").faults
        #expect(Draw.order(all, seed: 1) == Draw.order(all.reversed(), seed: 1))
        #expect(Draw.order(all, seed: 1) != Draw.order(all, seed: 2))
        #expect(Set(Draw.order(all, seed: 1)) == Set(all))
    }
}
