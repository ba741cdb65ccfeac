benchstat -format csv a=old.txt a=new.txt
