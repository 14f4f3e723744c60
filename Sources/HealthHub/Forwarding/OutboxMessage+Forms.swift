import Foundation
import JSON

extension OutboxMessage {
    /// A FHIR transaction with conditional creates, or with an update of the observation: marked as entered in error,
    /// or restored after that; nil if FHIR has no code for the reading. The observation of a deleted reading, or of one
    /// for which an earlier version had a code, is deleted.
    package var fhir: JSONValue? {
        var bundle = FHIRBundle()
        if isRetraction, let reading, bundle.retract(reading, as: observation, person: person) {
            return bundle.resource
        }
        guard let reading, !isRetraction else {
            guard let observation else { return nil }
            bundle.delete(observation)
            return bundle.resource
        }
        if isRestoration {
            let isKnown = bundle.replace(reading, as: observation, person: person, judgement: judgement)
            return isKnown ? bundle.resource : nil
        }
        let id = bundle.add(reading, as: observation, person: person, judgement: judgement)
        return id == nil ? nil : bundle.resource
    }

    package var webhook: JSONValue {
        [
            "type": .string(isRetraction ? "reading.retracted" : "reading.stored"), "id": .string(id),
            "timestamp": .string(FHIRResources.time(reading?.taken ?? created)),
            "data": .known([
                "id": .string(String(readingID)), "reading": reading?.submitted,
                "person": person.map { ["id": .string(String($0.id)), "name": .string($0.name)] },
                "values": .object(values), "judgement": judgement.map { $0.json() },
            ]),
        ]
    }

    /// The quantities by name, with the digits of the device.
    package var values: [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for quantity in reading?.measurement?.quantities ?? [] {
            let isNumber = quantity.value != nil
            let digits = quantity.text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?/) == nil
            values[quantity.name] = .known([
                "value": isNumber ? .decimal(digits ? "\(quantity.value ?? 0)" : quantity.text) : .null,
                "special": isNumber ? nil : .string(quantity.text), "unit": .string(quantity.unit),
            ])
        }
        return values
    }
}
