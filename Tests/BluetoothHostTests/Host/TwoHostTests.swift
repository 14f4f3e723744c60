#if canImport(VirtualBluetooth)
import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing
import VirtualBluetooth

@testable import BluetoothHost

/// Two complete hosts on virtual controllers: each operation on one side has its effect on the other.
@Suite(.timeLimit(.minutes(2))) struct TwoHostTests {
    /// Two hosts with a link between them; the second one is the peripheral.
    private func linked(extended: Bool) async throws -> AirTest {
        let test = try await AirTest {
            $0.add(extended: extended)
            $0.add(extended: extended)
        }
        try await test.run { bench in
            try bench.stations[1].advertise(1, data: [2, 1, 6], scanResponse: [3, 9, 0x41, 0x42])
            bench.stations[0].host.startScan()
        }
        try await test.until("the device is found, whole") {
            $0.stations[0].reports[Station.address(1)] == [2, 1, 6]
                && $0.stations[0].scanResponses[Station.address(1)] == [3, 9, 0x41, 0x42]
        }
        try await test.run { bench in _ = bench.stations[0].host.connect(to: Station.address(1)) { _ in } }
        try await test.until("both sides have the link") { $0.stations.allSatisfy { $0.links.count == 1 } }
        return test
    }

    @Test(arguments: [false, true]) func scanConnectExchangeDataAndDisconnect(extended: Bool) async throws {
        let test = try await linked(extended: extended)
        try await test.run { bench in
            let (central, peripheral) = (bench.stations[0].links[0], bench.stations[1].links[0])
            #expect(central.role == .central && peripheral.role == .peripheral)
            #expect(central.peerAddress == Station.address(1) && peripheral.ownAddress == Station.address(1))
            #expect(peripheral.peerAddress == central.ownAddress)
            #expect(bench.stations[0].host.isScanning)
            for link in [central, peripheral] {
                link.updateParameters(
                    ConnectionParametersRequest(
                        intervalUnits: 80...80, latency: link.role == .central ? 1 : 2, timeoutUnits: 400)
                ) { bench.log.append("parameters \((try? $0.get())?.latency ?? 99)") }
                link.setPHY(transmit: [.le2M], receive: [.le2M]) {
                    bench.log.append("phy \((try? $0.get())?.transmit == .le2M)")
                }
                link.readRSSI { bench.log.append("rssi \((try? $0.get()) != nil)") }
                link.readRemoteVersion { bench.log.append("version \((try? $0.get())?.version ?? 0)") }
            }
        }
        try await test.until("every procedure has ended") { $0.log.count == 8 }
        try await test.run { bench in
            #expect(
                bench.log.sorted() == [
                    "parameters 1", "parameters 2", "phy true", "phy true", "rssi true", "rssi true", "version 13",
                    "version 13",
                ])
            for station in bench.stations {
                #expect(station.links[0].parameters.intervalUnits == 80 && station.links[0].phy.transmit == .le2M)
                #expect(station.links[0].dataLength.transmitOctets == 251)
            }
            bench.stations[0].links[0].disconnect()
        }
        try await test.until("both sides are told") { $0.stations.allSatisfy { $0.endings.count == 1 } }
        try await test.run { bench in
            #expect(bench.stations.map(\.endings[0].reason) == [.localHostTerminated, .remoteUserTerminated])
            #expect(bench.stations.allSatisfy { $0.host.acl.free == $0.host.acl.total })
            #expect(bench.stations.allSatisfy { $0.host.counters.strayPackets == 0 })
        }
        try await test.end()
    }

    @Test func framesOfEveryLengthArriveInOrder() async throws {
        let test = try await linked(extended: true)
        try await test.run { bench in
            let (central, peripheral) = (bench.stations[0].links[0], bench.stations[1].links[0])
            let probe = ChannelProbe()
            peripheral.l2cap.securityChannel = probe
            bench.stations[1].controller.faults.delay = .milliseconds(1)
            for length in 0..<1200 {
                (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }.withByteView {
                    central.send(cid: 6, $0)
                }
            }
        }
        try await test.until("everything came") {
            ($0.stations[1].links[0].l2cap.securityChannel as? ChannelProbe)?.received.count == 1200
        }
        try await test.run { bench in
            let probe = try #require(bench.stations[1].links[0].l2cap.securityChannel as? ChannelProbe)
            for (length, frame) in probe.received.enumerated() {
                #expect(frame == (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) })
            }
        }
        try await test.end()
    }

    @Test(arguments: [false, true]) func manyConnectionsArePendingAtOnce(usesAcceptList: Bool) async throws {
        var configuration = HostConfiguration()
        configuration.usesAcceptList = usesAcceptList
        let chosen = configuration
        let test = try await AirTest { bench in
            bench.add(host: chosen)
            for _ in 0..<8 { bench.add() }
        }
        try await test.run { bench in
            // Every second device is in range; 100 devices never appear.
            for last in 0..<16 {
                bench.stations[0].host.connect(to: Station.address(UInt8(last))) {
                    bench.log.append((try? $0.get()) == nil ? "error" : "link")
                }
            }
            for (index, station) in bench.stations.dropFirst().enumerated() { try station.advertise(UInt8(2 * index)) }
        }
        try await test.until("everybody who is there is connected") { $0.log.count == 8 }
        try await test.run { bench in
            #expect(bench.log.allSatisfy { $0 == "link" })
            #expect(Set(bench.stations[0].links.map(\.peerAddress.value)).count == 8)
            #expect(bench.stations.dropFirst().allSatisfy { $0.links.count == 1 })
            #expect(bench.stations[0].host.counters.unwantedConnections == 0)
        }
        try await test.end()
    }

    @Test func oneHostAdvertisesAsManyDevices() async throws {
        let test = try await AirTest { bench in
            bench.add()
            bench.add()
        }
        try await test.run { bench in
            for last in 0..<10 {
                try bench.stations[1].advertise(UInt8(last))
                bench.stations[0].host.connect(to: Station.address(UInt8(last))) { _ in }
            }
        }
        try await test.until("all are connected") { $0.stations.allSatisfy { $0.links.count == 10 } }
        try await test.run { bench in
            // Each link belongs to the device whose address the central connected to.
            let peers = Dictionary(
                uniqueKeysWithValues: bench.stations[0].links.map { ($0.peerAddress, $0.handle) })
            #expect(peers.count == 10)
            #expect(Set(bench.stations[1].links.map(\.ownAddress)) == Set(peers.keys))
        }
        try await test.end()
    }

    @Test func connectingAndCancellingLeaksNothing() async throws {
        let test = try await AirTest { bench in
            bench.add()
            bench.add()
        }
        for round in 0..<60 {
            try await test.run { bench in
                if round % 2 == 0 {
                    try bench.stations[1].advertise(1)
                }
                let pending = bench.stations[0].host.connect(to: Station.address(1)) { result in
                    switch result {
                    case .success(let link):
                        bench.log.append("link")
                        link.disconnect()
                    case .failure(let error): bench.log.append(error == .cancelled ? "cancelled" : "\(error)")
                    }
                }
                // The cancellation is later each time, so that it occurs in every step of the attempt.
                let timer = bench.loop.makeTimer { pending.cancel() }
                timer.arm(at: bench.loop.now + .microseconds(Int64(round) * 2500))
            }
            try await test.until("the attempt has ended, and its link") { bench in
                bench.log.count == round + 1 && bench.air.allLinks.isEmpty
                    && bench.stations.allSatisfy { $0.host.allLinks.isEmpty }
            }
            try await test.run { bench in for set in bench.stations[1].host.advertising.sets { set.remove() } }
        }
        try await test.run { bench in
            #expect(Set(bench.log) == ["link", "cancelled"])
            #expect(bench.stations[0].host.initiator.isOff)
            for station in bench.stations {
                #expect(station.host.acl.free == station.host.acl.total)
                #expect(station.links.count == station.endings.count)
            }
        }
        try await test.end()
    }

    @Test func anUnresponsivePeerIsLostByTheSupervisionTimeout() async throws {
        let test = try await linked(extended: true)
        try await test.run { $0.stations[1].controller.faults.isSilent = true }
        try await test.until("the link times out on both sides") { $0.stations.allSatisfy { $0.endings.count == 1 } }
        try await test.run { bench in #expect(bench.stations[0].endings[0].reason == .connectionTimeout) }
        try await test.end()
    }

    @Test func encryptionStartsWithAKey() async throws {
        let test = try await linked(extended: true)
        let key = [UInt8](0..<16)
        try await test.run { bench in
            bench.stations[1].host.longTermKeyProvider = { $1($0.diversifier == 7 ? key : nil) }
            bench.stations[0].links[0].startEncryption(key: key, diversifier: 7) {
                bench.log.append("\((try? $0.get())?.level == .encrypted)")
            }
        }
        try await test.until("it is encrypted") { $0.log == ["true"] }
        try await test.run { bench in
            #expect(bench.stations.allSatisfy { $0.links[0].security.level == .encrypted })
        }
        try await test.end()
    }

    @Test func anUnresponsiveControllerFailsTheHost() async throws {
        let test = try await linked(extended: true)
        try await test.run { bench in
            bench.stations[0].controller.faults.answersCommands = false
            bench.stations[0].host.stopScan()
        }
        try await test.until("the host failed") { $0.stations[0].host.state.radioState == .poweredOff }
        try await test.run { bench in #expect(bench.stations[0].endings.count == 1) }
        try await test.end()
    }
}

#endif
