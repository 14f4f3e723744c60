import Foundation
import Harald

do {
    try await withCentral(adapter: .auto) { central in  // or "virtual:" beside a running `harald simulate`
        for try await found in central.scan(for: ["180D"]) {
            try await found.peripheral.withConnection(reconnect: .always) {  // it comes back after a lost link
                let heartRate = try await found.peripheral.characteristic("2A37")
                for try await value in heartRate.notifications() {
                    print(value.dropFirst().first ?? 0, "bpm")
                    fflush(nil)  // a pipe gets each line at once
                }
            }
        }
    }
} catch {
    print(error)  // what was being done, why it failed, and what to do about it
    exit(1)
}
