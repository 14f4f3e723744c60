import BluetoothModel

/// Walks through a range of handles with one kind of request. Each request begins behind the last response, until the
/// server has nothing more or the range is exhausted (Core 6.0, Vol 3, Part G, 4.4 to 4.7).
///
/// A server may send a response twice, and the copy then arrives as the response to the next request. A response with
/// earlier attributes only is dropped, and after a different request, whose response follows all copies, the request is
/// sent once more.
///
/// The walk always terminates. With ``onProblem``, a response that is invalid or does not advance ends the walk
/// successfully with the results so far. Without it, and if no service was found at all, such a response is an error.
final class HandleWalk<Found> {
    typealias Step = DiscoveryResponse.Entries<Found>

    private let range: ClosedRange<UInt16>
    private let bearer: ATTBearer
    private let operation: ATTOperation
    private let request: (ClosedRange<UInt16>) -> ATTRequest
    private let parse: (ByteView, ClosedRange<UInt16>) throws(RadioError) -> Step
    private let completion: (Result<[Found], RadioError>) -> Void
    /// Called with the skipped problems; `kind` is the kind of attribute being discovered.
    private let onProblem: (kind: GATTDiscoveryProblem.Kind, report: ([GATTDiscoveryProblem]) -> Void)?
    private var found: [Found] = []
    private var asked: ClosedRange<UInt16>
    /// True if the request for `asked` was sent a second time.
    private var isRepeated = false

    init(
        _ range: ClosedRange<UInt16>, bearer: ATTBearer, operation: ATTOperation,
        request: @escaping (ClosedRange<UInt16>) -> ATTRequest,
        parse: @escaping (ByteView, ClosedRange<UInt16>) throws(RadioError) -> Step,
        onProblem: (kind: GATTDiscoveryProblem.Kind, report: ([GATTDiscoveryProblem]) -> Void)? = nil,
        completion: @escaping (Result<[Found], RadioError>) -> Void
    ) {
        self.range = range
        self.bearer = bearer
        self.operation = operation
        self.request = request
        self.parse = parse
        self.onProblem = onProblem
        self.completion = completion
        asked = range
    }

    /// Sends the first request behind queued ones; as the continuation of a running procedure, before them.
    func start(asContinuation: Bool = false) {
        if asContinuation { return proceed() }
        bearer.request(request(asked), for: operation) { [self] in received($0) }
    }

    private func proceed() { bearer.proceed(request(asked), for: operation) { [self] in received($0) } }

    private func received(_ result: Result<ByteView, RadioError>) {
        switch result {
        case .success(let response):
            let step: Step
            do { step = try parse(response, asked) } catch { return end(error) }
            if isEarlier(step), !isRepeated { return repeatRequest(insteadOf: response) }
            isRepeated = false
            if !step.problems.isEmpty { onProblem?.report(step.problems) }
            found += step.found
            guard asked.contains(step.last) else { return end(.invalidResponse("the discovery does not advance")) }
            guard step.last < range.upperBound else { return completion(.success(found)) }
            asked = step.last + 1...range.upperBound
            proceed()
        case .failure(.att(.attributeNotFound, _)):
            completion(.success(found))
        case .failure(let error):
            completion(.failure(error))
        }
    }

    /// Returns true if a response has only attributes before the requested ones, as a copy of an earlier response has.
    private func isEarlier(_ step: Step) -> Bool {
        step.found.isEmpty && !step.problems.isEmpty
            && step.problems.allSatisfy {
                $0.reason == .unexpectedHandle && $0.handle > 0 && $0.handle < asked.lowerBound
            }
    }

    /// Sends the request again after a response to an earlier request. While the request in between is in flight, the
    /// bearer drops further copies, because their opcode differs.
    private func repeatRequest(insteadOf response: ByteView) {
        isRepeated = true
        bearer.faults.add(.unexpectedResponse, response)
        let last: ClosedRange<UInt16> = 0xFFFF...0xFFFF
        let other: ATTRequest =
            request(asked).opcode == .readByTypeRequest
            ? .findInformation(last) : .readByType(last, GATTType.characteristic)
        bearer.proceed(other, for: operation) { [self] result in
            switch result {
            case .success, .failure(.att): proceed()
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Ends the walk after a response that cannot be used.
    private func end(_ error: RadioError) {
        guard let onProblem, !(onProblem.kind == .service && found.isEmpty) else { return completion(.failure(error)) }
        onProblem.report([GATTDiscoveryProblem(onProblem.kind, at: asked.lowerBound, .malformedResponse)])
        completion(.success(found))
    }
}
