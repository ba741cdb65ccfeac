benchstat -format csv -col /io,/bits -row /size@num new.txt
