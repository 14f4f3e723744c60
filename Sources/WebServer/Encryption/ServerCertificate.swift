import Crypto
import Foundation
import NIOCore
import NIOSSL
import X509

/// The certificate of a server, with its key.
struct ServerCertificate: Sendable {
    /// The settings for TLS 1.2 and later.
    let configuration: TLSConfiguration
    /// The SHA-256 digest of the certificate, in the form that browsers show: `AB:CD:...`.
    let fingerprint: String

    /// Reads a certificate chain and a private key in PEM.
    ///
    /// - Throws: ``WebServerError/unusableFile(path:reason:)``.
    init(certificate: String, key: String) throws(WebServerError) {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(certificate) } catch {
            throw .unusableFile(path: certificate, reason: "the file contains no PEM certificate (\(error))")
        }
        guard let own = chain.first else {
            throw .unusableFile(path: certificate, reason: "the file contains no PEM certificate")
        }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
            throw .unusableFile(path: key, reason: "the file contains no PEM private key (\(error))")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            // Detects a key that does not belong to the certificate.
            _ = try NIOSSLContext(configuration: configuration)
            fingerprint = Self.fingerprint(try own.toDERBytes())
        } catch { throw .unusableFile(path: key, reason: "the key does not belong to \(certificate) (\(error))") }
        self.configuration = configuration
    }

    /// Reads the certificate in the store. Creates a new one if there is none, or if it expires within a week or lacks
    /// a name.
    ///
    /// - Throws: ``WebServerError``.
    init(store: String, name: String, hosts: [String], now: Date = Date()) throws(WebServerError) {
        let certificate = "\(store)/\(name)-certificate.pem"
        let key = "\(store)/\(name)-certificate-key.pem"
        let isUsable = try Self.isUsable(certificate, hosts: hosts, now: now)
        let hasKey = try SecretFile.read(key) != nil
        if !isUsable || !hasKey {
            let made: (certificate: String, key: String)
            do { made = try Self.make(hosts: hosts, now: now) } catch {
                throw .unusableFile(path: certificate, reason: "cannot create a certificate (\(error))")
            }
            try SecretFile.write(made.key.utf8, to: key)
            try SecretFile.write(made.certificate.utf8, to: certificate)
        }
        try self.init(certificate: certificate, key: key)
    }

    private static func isUsable(_ path: String, hosts: [String], now: Date) throws(WebServerError) -> Bool {
        guard let content = try SecretFile.read(path, isPrivate: false),
            let certificate = try? Certificate(pemEncoded: String(decoding: content, as: UTF8.self)),
            let names = try? certificate.extensions.subjectAlternativeNames,
            // Earlier versions made certificates that gateways could not trust.
            certificate.extensions[oid: .X509ExtensionID.keyUsage] == nil
        else { return false }
        return certificate.notValidAfter > now + 7 * 86_400 && generalNames(hosts).allSatisfy { names.contains($0) }
    }

    /// Creates a self-signed certificate for the names, in PEM. Browsers accept a validity of at most 825 days.
    ///
    /// - Throws: an error of creating or encoding the certificate.
    static func make(hosts: [String], now: Date) throws -> (certificate: String, key: String) {
        let key = P256.Signing.PrivateKey()
        let issuer = Certificate.PrivateKey(key)
        let subject = try DistinguishedName { CommonName(hosts.first ?? "localhost") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: issuer.publicKey, notValidBefore: now - 3600,
            notValidAfter: now + 824 * 86_400, issuer: subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                // Without a key usage: clients with BoringSSL would require that of an authority, because the
                // certificate is its own issuer.
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(generalNames(hosts))
            }, issuerPrivateKey: issuer)
        return (try certificate.serializeAsPEM().pemString + "\n", key.pemRepresentation + "\n")
    }

    private static func generalNames(_ hosts: [String]) -> [GeneralName] {
        hosts.map { host in
            guard let address = try? SocketAddress(ipAddress: host, port: 0) else { return .dnsName(host) }
            switch address {
            case .v4(let v4):
                return .ipAddress(.init(contentBytes: withUnsafeBytes(of: v4.address.sin_addr) { [UInt8]($0)[...] }))
            case .v6(let v6):
                return .ipAddress(.init(contentBytes: withUnsafeBytes(of: v6.address.sin6_addr) { [UInt8]($0)[...] }))
            case .unixDomainSocket: return .dnsName(host)
            }
        }
    }

    private static func fingerprint(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: Data(bytes)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            .joined(separator: ":")
    }
}
