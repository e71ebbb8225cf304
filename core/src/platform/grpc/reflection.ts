import { type DescFile, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { status } from "@grpc/grpc-js";
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "@stoa/proto/grpc/reflection/v1/reflection_pb";
import type { Service, ServiceImpl } from "./types.ts";

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/** Answers what is served, from the descriptors that the generated code carries. */
export function reflectionService(services: () => Iterable<Service>): ServiceImpl<typeof ServerReflection> {
  return {
    async *serverReflectionInfo(requests) {
      for await (const request of requests) {
        const messageResponse = answer(request, [...services()]);
        yield { validHost: request.host, originalRequest: request, messageResponse };
      }
    },
  };
}

function answer({ messageRequest: asked }: ServerReflectionRequest, services: Service[]): Answer {
  const files = new Map<string, DescFile>();
  for (const { file } of services) collect(file, files);
  switch (asked.case) {
    case "listServices": {
      const service = services
        .map(({ typeName }) => ({ name: typeName }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return filesOf(files.get(asked.value), `file ${asked.value}`);
    case "fileContainingSymbol": {
      const symbol = asked.value.replace(/^\./, "");
      return filesOf(
        [...files.values()].find((file) => declares(file, symbol)),
        `symbol ${asked.value}`,
      );
    }
    case "fileContainingExtension":
      return notFound(`extension ${asked.value.extensionNumber} of ${asked.value.containingType}`);
    case "allExtensionNumbersOfType": {
      const known = [...files.values()].some((file) => declares(file, asked.value));
      if (!known) return notFound(`type ${asked.value}`);
      return { case: "allExtensionNumbersResponse", value: { baseTypeName: asked.value } };
    }
    default:
      return {
        case: "errorResponse",
        value: { errorCode: status.INVALID_ARGUMENT, errorMessage: "The request asks for nothing." },
      };
  }
}

function filesOf(file: DescFile | undefined, what: string): Answer {
  if (file === undefined) return notFound(what);
  const needed = [...collect(file, new Map()).values()];
  const fileDescriptorProto = needed.map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function notFound(what: string): Answer {
  const errorMessage = `No ${what.slice(0, 200)} is known here.`;
  return { case: "errorResponse", value: { errorCode: status.NOT_FOUND, errorMessage } };
}

/** The file and all it imports, the file itself first. */
function collect(file: DescFile, into: Map<string, DescFile>): Map<string, DescFile> {
  if (into.has(file.proto.name)) return into;
  into.set(file.proto.name, file);
  for (const dependency of file.dependencies) collect(dependency, into);
  return into;
}

function declares(file: DescFile, symbol: string): boolean {
  return (
    file.services.some(
      (service) =>
        service.typeName === symbol ||
        service.methods.some((method) => `${service.typeName}.${method.name}` === symbol),
    ) ||
    file.messages.some((message) => messageDeclares(message, symbol)) ||
    file.enums.some((declared) => enumDeclares(declared, symbol)) ||
    file.extensions.some((extension) => extension.typeName === symbol)
  );
}

function messageDeclares(message: DescMessage, symbol: string): boolean {
  if (!symbol.startsWith(message.typeName)) return false;
  return (
    message.typeName === symbol ||
    [...message.fields, ...message.oneofs].some(
      (member) => `${message.typeName}.${member.name}` === symbol,
    ) ||
    message.nestedMessages.some((nested) => messageDeclares(nested, symbol)) ||
    message.nestedEnums.some((declared) => enumDeclares(declared, symbol))
  );
}

// A value's name lies beside its enum's, not inside it.
function enumDeclares(declared: DescFile["enums"][number], symbol: string): boolean {
  const scope = declared.typeName.slice(0, -declared.name.length);
  return declared.typeName === symbol || declared.values.some(({ name }) => scope + name === symbol);
}
