import HTTPTypes
import Hummingbird
import Testing

@testable import WebServer

/// The header fields of responses that restrict the page.
@Suite struct SecurityHeadersTests {
    @Test func areAddedOnce() {
        var response = Response(status: .ok)
        SecurityHeaders.add(to: &response)
        SecurityHeaders.add(to: &response)
        #expect(response.headers[values: .cacheControl] == ["no-store"])
        #expect(response.headers[values: .xContentTypeOptions] == ["nosniff"])
        #expect(response.headers[values: .referrerPolicy] == ["same-origin"])
        #expect(response.headers[values: .contentSecurityPolicy].count == 1)
    }

    @Test func replaceFieldsOfTheHandlerExceptPolicyAndCaching() {
        var response = Response(
            status: .ok,
            headers: [.referrerPolicy: "unsafe-url", .cacheControl: "max-age=5", .contentSecurityPolicy: "sandbox"])
        SecurityHeaders.add(to: &response)
        #expect(response.headers[values: .referrerPolicy] == ["same-origin"])
        #expect(response.headers[values: .cacheControl] == ["max-age=5"])
        #expect(response.headers[values: .contentSecurityPolicy] == ["sandbox"])
    }
}
