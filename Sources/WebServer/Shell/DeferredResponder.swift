#if Programs
import HummingbirdCore
import Synchronization

/// Defers to a responder that is created when the address is known, on which the checks depend.
final class DeferredResponder: Sendable {
    /// A reference, because a copy of the responder for each request would take longer.
    private final class Reference: Sendable {
        let responder: WebResponder
        init(_ responder: WebResponder) { self.responder = responder }
    }

    private let reference = Mutex<Reference?>(nil)

    func set(_ responder: WebResponder) { reference.withLock { $0 = Reference(responder) } }

    /// - Parameter origin: the connection of the request.
    func respond(to request: Request, from origin: RequestOrigin) async -> Response {
        guard let reference = reference.withLock({ $0 }) else {
            return Problem.unavailable("The server is starting.").response()
        }
        return await reference.responder.respond(to: request, context: WebContext(source: origin))
    }

    /// Returns the response to data that cannot be examined further.
    func refuse(_ problem: Problem) -> Response {
        reference.withLock { $0 }?.responder.refuse(problem) ?? problem.response()
    }
}
#endif
