import Combine
import CoreBluetooth
import OSLog

/// The operators that HaraldShims adds to OpenCombine. Returns the failed expectations.
func failedOperators() -> [String] {
    var failures: [String] = []
    var cancellables: Set<AnyCancellable> = []
    func expect<Value: Equatable>(_ name: String, _ value: Value, _ expected: Value) {
        if value != expected { failures.append("\(name): \(value), not \(expected)") }
    }

    let (a, b, c) = (
        PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0)
    )
    var (merged, merged3, latest, latest3, ends) = ([Int](), [String](), [String](), [Int](), [String]())
    a.merge(with: b).sink { _ in
        ends.append("merge")
    } receiveValue: {
        merged.append($0)
    }.store(in: &cancellables)
    a.map { "\($0)" }.merge(with: b.map { "\($0)" }, c.map { "\($0)" }).sink { merged3.append($0) }
        .store(in: &cancellables)
    Publishers.CombineLatest(a, b).sink { _ in
        ends.append("latest")
    } receiveValue: {
        latest.append("\($0)-\($1)")
    }
    .store(in: &cancellables)
    a.combineLatest(b, c) { $0 + $1 + $2 }.sink { latest3.append($0) }.store(in: &cancellables)
    expect("merge of three", merged3, ["0"])
    a.send(1)
    b.send(2)
    a.send(3)
    c.send(4)
    expect("merge", merged, [1, 2, 3])
    expect("merge of three", merged3, ["0", "1", "2", "3", "4"])
    expect("combineLatest", latest, ["1-2", "3-2"])
    expect("combineLatest of three", latest3, [3, 5, 9])
    a.send(completion: .finished)
    expect("ends", ends, [])
    b.send(completion: .finished)
    expect("ends", ends.sorted(), ["latest", "merge"])

    // A subscriber that requests one value after the other loses none.
    var taken: [Int] = []
    Publishers.MergeMany([1, 2].publisher, [3].publisher).flatMap(maxPublishers: .max(1)) { Just($0) }
        .sink { taken.append($0) }.store(in: &cancellables)
    expect("demand", taken.sorted(), [1, 2, 3])
    // An upstream that ends without a value ends the combination.
    var isOver = false
    Empty<Int, Never>().combineLatest(c).sink { _ in
        isOver = true
    } receiveValue: { _ in
    }.store(in: &cancellables)
    expect("combineLatest of nothing", isOver, true)

    let values = PassthroughSubject<Int, Never>()
    var collected: [[Int]] = []
    values.collect(.byTimeOrCount(DispatchQueue.main, .seconds(3600), 2)).sink { collected.append($0) }
        .store(in: &cancellables)
    for value in 1...5 { values.send(value) }
    values.send(completion: .finished)
    expect("collect", collected, [[1, 2], [3, 4], [5]])
    return failures
}

/// Waits for the values of an interval, on the main queue.
func collectByTime(_ done: @escaping ([Int]) -> Void) -> AnyCancellable {
    let values = PassthroughSubject<Int, Never>()
    let collection = values.collect(.byTime(RunLoop.main, .milliseconds(50))).first().sink { done($0) }
    values.send(1)
    values.send(2)
    return AnyCancellable {
        collection.cancel()
        withExtendedLifetime(values) {}
    }
}

/// Formats with objects, as programs log them.
func logObjects(_ peripheral: CBPeripheral, _ error: NSError) {
    let log = OSLog(subsystem: "com.example.battery", category: "objects")
    os_log("%@ has %{public}@ after %@", log: log, type: .info, peripheral, peripheral.services ?? [], error)
    NSLog("%@ %@", peripheral, peripheral.identifier as NSUUID)
}
