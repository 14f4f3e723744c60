import BluetoothModel
import BluetoothRuntime
import Foundation
import Harald
import Synchronization
import Testing
import VirtualDevices
import VirtualTransport

@testable import Workbench

/// Serialized: its devices run in real time, and hundreds at once would keep both cores from the other tests.
@Suite("harald check: rules and devices", .serialized)
struct CheckTests {
    /// Every device with `HARALD_CHECK=all` (`Scripts/check-faulty`), which takes more than five minutes; else one of
    /// `count`.
    static func part<Element>(of all: [Element], one count: Int) -> [Element] {
        if ProcessInfo.processInfo.environment["HARALD_CHECK"] == "all" { return all }
        return all.enumerated().filter { $0.offset % count == 0 }.map(\.element)
    }

    /// Scans for a device, and checks it with two centrals.
    static func check(
        on radio: VirtualRadio, options: CheckOptions, keySize: UInt8 = 16, packets: Int? = nil
    ) async throws -> [DeviceCheck.Outcome] {
        let security = SecurityPolicy(minimumKeySize: keySize, requiresSecureConnections: false)
        var setting = AdapterOptions(storage: .none)
        setting.security = security
        let central = try await Central(adapter: radio.adapter(named: "central"), options: setting)
        let second = try await Central(adapter: radio.adapter(named: "second"), options: AdapterOptions(storage: .none))
        try await second.waitUntilPoweredOn()
        var heard = CheckAdvertising()
        var peripheral: Peripheral?
        for try await found in central.scan(duplicates: true, duration: .seconds(60)) {
            if let peripheral, peripheral.id != found.id { continue }
            peripheral = found.peripheral
            heard.note(found)
            if packets.map({ heard.times.count >= $0 }) ?? heard.isEnough { break }
        }
        let found = try #require(peripheral, "the device was not heard")
        var options = options
        options.setPairing = { await central.setPairingDelegate($0) }
        let outcomes = await DeviceCheck(options).run(
            found, heard: heard, hasFrames: true, second: await second.peripheral(id: found.id))
        await central.close()
        await second.close()
        return outcomes
    }

    static func options(_ change: (inout CheckOptions) -> Void = { _ in }) -> CheckOptions {
        var options = CheckOptions()
        options.allowed = [.writes, .pair, .hostile, .slow]
        options.patience = .seconds(30)
        options.connectTimeout = .seconds(60)
        options.limit = nil
        change(&options)
        return options
    }

    /// Runs the check of a raw device.
    static func check(
        _ definition: RawDefinition, _ options: CheckOptions, keySize: UInt8 = 16, packets: Int? = nil
    ) async throws -> [DeviceCheck.Outcome] {
        let radio = VirtualRadio()
        let device = await radio.loop.run { LoopBound(RawDevice(definition, on: radio), loop: radio.loop) }
        await radio.loop.run { device.value.start() }
        do {
            let outcomes = try await check(on: radio, options: options, keySize: keySize, packets: packets)
            await radio.loop.run { device.value.stop() }
            return outcomes
        } catch {
            let failure = await radio.loop.run { device.value.failure }
            await radio.loop.run { device.value.stop() }
            throw Failure(description: "\(error) (\(failure ?? "the device runs"))")
        }
    }

    /// Enters the passkey of the devices of a test.
    private struct Person: PairingDelegate {
        func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
            question == .enterPasskey ? .passkey(Faulty.passkey) : .accept
        }
    }

    struct Failure: Error, CustomStringConvertible { var description: String }

    @Test("Each rule finds its faulty device", .timeLimit(.minutes(5)), arguments: Self.part(of: Faulty.all, one: 8))
    func faulty(_ faulty: Faulty) async throws {
        let options = Self.options {
            $0.only = Set(faulty.rules + faulty.helpers)
            $0.patience = faulty.patience
            $0.connectTimeout = faulty.connectTimeout
            $0.transactionTimeout = .milliseconds(200)
            $0.person = Person()
            let isHeardLater = faulty.isHeardLater
            $0.isHeardLater = { isHeardLater }
        }
        let outcomes = try await Self.check(
            faulty.definition, options, keySize: faulty.keySize, packets: faulty.packets)
        for rule in faulty.rules {
            let outcome = try #require(outcomes.first { $0.rule.id == rule }, "there is no rule \(rule)")
            #expect(!outcome.findings.isEmpty, "\(rule): \(outcome.verdict)")
            #expect(outcome.findings.allSatisfy { !$0.evidence.isEmpty && !$0.message.isEmpty })
        }
    }

    @Test("Every rule of the list has a faulty device, and every identifier is there once")
    func coverage() {
        let ids = CheckRule.all.map(\.id)
        #expect(Set(ids).count == ids.count, "\(Dictionary(grouping: ids) { $0 }.filter { $1.count > 1 }.keys)")
        let triggered = Set(Faulty.all.flatMap(\.rules))
        #expect(ids.filter { !triggered.contains($0) } == [])
        #expect(triggered.subtracting(ids) == [])
        #expect(ids.count >= 120 && CheckRule.all.filter(\.sends).count >= 60)
        for rule in CheckRule.all {
            #expect(rule.id.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } && rule.id.contains("-"))
            #expect(rule.text.hasSuffix(".") || rule.text.hasSuffix(")"), "\(rule.id)")
            #expect(rule.advice.hasSuffix(".") && !rule.section.isEmpty, "\(rule.id)")
        }
    }

    @Test("A right device has no findings", .timeLimit(.minutes(5)))
    func right() async throws {
        var definition = RawDefinition()
        let generic = RawService(
            uuid: 0x1801, characteristics: [c(0x2A05, 0x20, [])])
        definition.server = RawServer([RawDefinition.services[0], generic] + RawDefinition.services.dropFirst(2))
        for place in definition.server.attributes.indices {
            // The configurations of protected values are protected too.
            let handle = definition.server.attributes[place].handle
            if handle == definition.server.configuration(of: 0xFFF3) {
                definition.server.attributes[place].writeRefusal = 0x05
            }
        }
        definition.answer = { pdu, right, server in
            // The Heart Rate Control Point accepts one value; configurations have two bits.
            guard right == [0x13] else { return right.map { [$0] } ?? [] }
            let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
            if handle == server.handle(0x2A39), pdu.dropFirst(3) != [1] { return [[0x01, 0x12] + le(handle) + [0x80]] }
            if let place = server.index(handle), server.attributes[place].type == 0x2902 {
                server.attributes[place].value = [pdu[3] & 3, 0]
            }
            return [[0x13]]
        }
        let outcomes = try await Self.check(definition, Self.options { $0.isHeardLater = { false } })
        for outcome in outcomes { #expect(outcome.findings.isEmpty, "\(outcome.rule.id): \(outcome.findings)") }
        #expect(outcomes.filter { $0.verdict == .passed }.count > 150)
    }

    @Test(
        "The twins have no findings", .timeLimit(.minutes(10)),
        arguments: Self.part(of: Twins.all.keys.sorted(), one: 5))
    func twins(_ name: String) async throws {
        let file = try #require(Twins.all[name])
        let radio = VirtualRadio()
        let scene = try await VirtualScene(SceneFile(name: name, devices: [SceneDevice(file)]), on: radio)
        let outcomes = try await Self.check(on: radio, options: Self.options { $0.isHeardLater = { false } })
        await scene.close()
        for outcome in outcomes {
            #expect(outcome.findings.isEmpty, "\(outcome.rule.id): \(outcome.findings)")
        }
        #expect(outcomes.filter { $0.verdict == .passed }.count > 120)
        // Aborted and failed pairings of one rule delay the others, and do not prevent them.
        for id in Self.pairingRules {
            let verdict = outcomes.first { $0.rule.id == id }?.verdict
            #expect(verdict == .passed, "\(id): \(verdict.map { "\($0)" } ?? "missing")")
        }
    }

    /// The rules of pairing that every device which pairs is judged by.
    static let pairingRules = [
        "sm-pair", "sm-link-key-size", "sm-bond-kept", "sm-repair-aborted", "sm-repair-legacy", "sm-repair-key-size",
        "sm-repair-unencrypted", "sm-response-fields", "sm-response-capability", "sm-key-size", "sm-key-size-full",
        "sm-key-distribution", "sm-secure-connections", "sm-bonding", "sm-capability-reserved", "sm-key-size-short",
        "sm-key-size-long", "sm-request-length", "sm-order", "sm-public-key", "sm-debug-key",
    ]

    /// Answers Pairing Requests with Repeated Attempts, a number of times.
    private final class BackOff: Sendable {
        private let left: Mutex<Int>
        init(_ count: Int) { left = Mutex(count) }

        func answer(_ packet: [UInt8]) -> [[UInt8]] {
            guard packet.first == 0x01 else { return [] }
            let isOver = left.withLock { left in
                defer { left -= 1 }
                return left <= 0
            }
            // The key size is wrong.
            return isOver ? [[2, 3, 0, 9, 5, 3, 3]] : [[5, 9]]
        }
    }

    @Test(
        "A device that refuses pairing after a failure is waited for, and the reason is given if that takes too long",
        .timeLimit(.minutes(3)), arguments: [(2, 3), (9, 1)])
    func backOff(_ refusals: Int, _ wait: Int) async throws {
        var definition = RawDefinition()
        let device = BackOff(refusals)
        definition.security = { device.answer($0) }
        let options = Self.options {
            $0.only = ["sm-key-size", "sm-public-key"]
            $0.pairingWait = .seconds(wait)
        }
        let outcomes = try await Self.check(definition, options)
        if refusals == 2 {
            #expect(outcomes.first { $0.rule.id == "sm-key-size" }?.findings.count == 1, "\(outcomes)")
        } else {
            #expect(outcomes.count == 2)
            for outcome in outcomes {
                let reason = outcome.verdict.reason ?? ""
                #expect(reason.contains("Repeated Attempts, 0x09"), "\(outcome.rule.id): \(outcome.verdict)")
            }
        }
    }

    @Test(
        "A device that ends the link in the middle is connected again, and the rest is judged", .timeLimit(.minutes(3)))
    func reconnects() async throws {
        var definition = RawDefinition()
        definition.endsLink = { $0 == [0x0A, 0, 0] }
        let options = Self.options { $0.only = ["att-read-zero", "att-read-unknown", "att-read-declaration"] }
        let outcomes = try await Self.check(definition, options)
        let verdicts = Dictionary(uniqueKeysWithValues: outcomes.map { ($0.rule.id, $0.verdict) })
        guard case .notRun(let reason) = verdicts["att-read-zero"] else {
            Issue.record("\(verdicts)")
            return
        }
        #expect(reason.contains("0A 00 00"))
        #expect(verdicts["att-read-unknown"] == .passed && verdicts["att-read-declaration"] == .passed)
    }

    @Test("What the options or the adapter do not permit is not run, with a reason", .timeLimit(.minutes(3)))
    func needs() async throws {
        let options = Self.options {
            $0.allowed = []
            $0.only = Set(
                CheckRule.all.filter { !$0.needs.isDisjoint(with: [.writes, .pair, .hostile, .slow]) }.map(\.id))
        }
        let outcomes = try await Self.check(RawDefinition(), options)
        for outcome in outcomes {
            guard case .notRun(let reason) = outcome.verdict else {
                Issue.record("\(outcome.rule.id): \(outcome.verdict)")
                continue
            }
            #expect(reason.hasPrefix("requires the permission"), "\(outcome.rule.id): \(reason)")
        }
    }

    @Test("A baseline leaves its findings out, and JUnit is well-formed", .timeLimit(.minutes(3)))
    func reports() async throws {
        let faulty = try #require(Faulty.all.first { $0.rules == ["gap-name-utf8"] })
        let options = Self.options { $0.only = ["gap-name-utf8", "gap-service"] }
        let outcomes = try await Self.check(faulty.definition, options)
        let report = CheckReport(outcomes)
        #expect(report.findings.count == 1 && report.fails(on: .error))
        #expect(report.json.count == 2 && report.json[0]["rule"]?.string == "gap-name-utf8")
        #expect(report.json[0]["handle"]?.integer == 3 && report.json[0]["evidence"]?.string == "C3 28")
        #expect(report.json[1]["summary"]?["passed"]?.integer == 1)
        let baseline = try CheckBaseline(text: .init(CheckBaseline(outcomes).text.utf8), file: "known")
        let again = CheckReport(outcomes, baseline: baseline)
        #expect(again.findings.isEmpty && again.known == 1 && !again.fails(on: .warning))
        let xml = report.junit(device: "<\"Test\">", failsOn: .error)
        #expect(xml.contains("failures=\"1\"") && xml.contains("&lt;&quot;Test&quot;&gt;"))
        #expect(throws: (any Error).self) { try CheckBaseline(text: .init("{}".utf8), file: "known") }
    }
}
