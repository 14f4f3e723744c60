import Foundation
import JSON

extension OutboxMessage {
    /// A FHIR transaction with conditional creates, or with an update of the observation: marked as entered in error,
    /// or restored after that; nil if FHIR has no code for the reading. A deleted reading's observation is deleted.
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
        let quantities = reading?.measurement?.quantities ?? []
        return Dictionary(
            quantities.map { quantity in
                let value = JSONValue.known([
                    "value": quantity.digits ?? .null, "special": quantity.value == nil ? .string(quantity.text) : nil,
                    "unit": .string(quantity.unit),
                ])
                return (quantity.name, value)
            }
        ) { $1 }
    }
}

extension Quantity {
    /// The number with the digits of the device, if they are those of JSON; nil for a special value.
    var digits: JSONValue? {
        let isNumber = text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?/) != nil
        return value.map { .decimal(isNumber ? text : "\($0)") }
    }
}
