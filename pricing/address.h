/* address.h: which addresses may be asked. Pure: names and numbers only. */
#ifndef GPUTCO_PRICING_ADDRESS_H
#define GPUTCO_PRICING_ADDRESS_H

/* NULL when the address may be asked: https://host[:port]/...; else what is
   wrong with it. */
const char *address_fault(const char *address);

/* 1 if scheme, host and port are the same; a port that https has anyway may
   be said. */
int address_same_origin(const char *a, const char *b);

/* 1 if the numeric address (as inet_pton reads it) is not one of the public
   internet: private, loopback, link-local, mapped, reserved, multicast, or
   not an address at all. */
int address_private(const char *numeric);

#endif
