import { describeErrorCode, type ErrorCode, errorCodes } from "./bgp-error.js";
import { encodeMessage, headerLength, maximumMessageLength } from "./message-header.js";
import { shutdownCommunication } from "./shutdown-communication.js";

/** RFC 4271 section 4.5: code (1) | subcode (1) | data. */
export interface NotificationMessage {
  readonly kind: "notification";
  readonly errorCode: ErrorCode;
  readonly data: Buffer;
}

const maximumData = maximumMessageLength - headerLength - 2;

/** `body` holds at least code and subcode: the framer has refused anything shorter. */
export function decodeNotification(body: Buffer): NotificationMessage {
  return {
    kind: "notification",
    errorCode: { code: body.readUInt8(0), subcode: body.readUInt8(1) },
    data: body.subarray(2),
  };
}

/** Data beyond what a message may hold is cut off. */
export function encodeNotification(errorCode: ErrorCode, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.from([errorCode.code, errorCode.subcode]);
  return encodeMessage("notification", Buffer.concat([head, data.subarray(0, maximumData)]));
}

/** For people, with the reason that the other operator typed (RFC 9003 section 2) and what a Hard Reset is sent for. */
export function describeNotification(message: Pick<NotificationMessage, "errorCode" | "data">): string {
  const wrapped = wrappedNotification(message);
  return wrapped === undefined
    ? describeOne(message)
    : `${describeErrorCode(message.errorCode)} for ${describeOne(wrapped)}`;
}

function describeOne({ errorCode, data }: Pick<NotificationMessage, "errorCode" | "data">): string {
  const reason = shutdownCommunication(errorCode, data);
  return reason === undefined ? describeErrorCode(errorCode) : `${describeErrorCode(errorCode)}: "${reason}"`;
}

/** RFC 8538 section 3: a Hard Reset carries the code, subcode and data of the NOTIFICATION that it stands for. */
function wrappedNotification({ errorCode, data }: Pick<NotificationMessage, "errorCode" | "data">) {
  return isHardReset(errorCode) && data.length >= 2
    ? { errorCode: { code: data.readUInt8(0), subcode: data.readUInt8(1) }, data: data.subarray(2) }
    : undefined;
}

export function isHardReset({ code, subcode }: ErrorCode): boolean {
  return code === errorCodes.hardReset.code && subcode === errorCodes.hardReset.subcode;
}
